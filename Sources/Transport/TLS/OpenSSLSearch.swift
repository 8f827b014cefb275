import CSwiftletSystem
import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

// Where OpenSSL is found. A process has one OpenSSL: two would share the names of their functions, and the loader
// could give a function of the one to the other.

extension OpenSSLLibrary {
    /// Names a file or folder to load OpenSSL from.
    private static let variable = "SWIFTLET_OPENSSL"

    private static let chosen = Mutex<OpenSSLLibrary?>(nil)

    /// The library of the process, for callbacks. Nil before ``shared()`` has returned.
    static let inUse: OpenSSLLibrary? = chosen.withLock { $0 }

    /// The OpenSSL of all connections of the process. The first call finds it: in the process; otherwise in the
    /// file or folder that the environment names; otherwise, if it names none, in the system.
    package static func shared() throws(TLSError) -> OpenSSLLibrary {
        if let library = chosen.withLock({ $0 }) { return library }
        if let library = try inProcess() { return keep(library) }
        if let path = Environment.trustedValue(of: variable), !path.isEmpty {
            return keep(try load(files(of: path), "\(variable)=\(path)"))
        }
        return keep(try load(systemNames, nil))
    }

    /// Uses the OpenSSL of the process, or, if it has none, that of a file or folder. Throws if another one is
    /// in use already.
    package static func use(path: String) throws(TLSError) {
        try demandChoice()
        if let library = try inProcess() { return try choose(library) }
        try choose(load(files(of: path), path))
    }

    /// Uses the functions at addresses that the program knows. Throws if another OpenSSL is in use already.
    package static func use(_ address: (String) -> UnsafeMutableRawPointer?) throws(TLSError) {
        try demandChoice()
        try unsafe choose(OpenSSLLibrary("that the program names", address))
    }

    /// Checked before OpenSSL is started, which a second one must not be.
    private static func demandChoice() throws(TLSError) {
        guard let library = chosen.withLock({ $0 }) else { return }
        throw TLSError(
            .libraryMissing,
            "\(library.name), is in use already: choose another one before the first TLS credentials are made"
        )
    }

    private static func choose(_ library: OpenSSLLibrary) throws(TLSError) {
        guard keep(library) !== library else { return }
        try demandChoice()
    }

    /// Returns the library that another thread has found first, if there is one.
    private static func keep(_ library: OpenSSLLibrary) -> OpenSSLLibrary {
        let kept = chosen.withLock { chosen in
            let kept = chosen ?? library
            chosen = kept
            return kept
        }
        // Callbacks run while a lock is held. So this is read here for the first time.
        _ = inUse
        return kept
    }
}

// MARK: - In the process

extension OpenSSLLibrary {
    /// One function of libssl and one of libcrypto, which every version has.
    private static let halves = (ssl: "SSL_CTX_new", crypto: "X509_free")

    /// RTLD_DEFAULT, a macro that is not imported.
    private static var process: UnsafeMutableRawPointer? {
        #if canImport(Darwin)
            unsafe UnsafeMutableRawPointer(bitPattern: -2)
        #else
            nil
        #endif
    }

    /// OpenSSL's functions among the symbols of the process: those that the program exports, and those of the
    /// libraries that it links. Nil if there are none.
    private static func inProcess() throws(TLSError) -> OpenSSLLibrary? {
        // libcrypto alone is common, and libssl can be loaded beside it.
        guard let ssl = unsafe symbol(halves.ssl, in: process) else { return nil }
        let file = unsafe imageFile(of: ssl)
        guard !isApples(file) else { return nil }
        guard let crypto = unsafe symbol(halves.crypto, in: process) else {
            throw TLSError(
                .libraryMissing,
                "\(file) has libssl in it, but the process has no libcrypto: link and export both")
        }
        try unsafe demandOnePlace(file, imageFile(of: crypto))
        return try unsafe OpenSSLLibrary("in the process (\(file))") { name in
            unsafe symbol(name, in: process)
        }
    }

    private static func symbol(
        _ name: String, in handle: UnsafeMutableRawPointer?
    ) -> UnsafeMutableRawPointer? {
        unsafe dlsym(handle, name)
    }

    /// The file of the program or library that an address belongs to.
    private static func imageFile(of address: UnsafeMutableRawPointer) -> String {
        var symbol = unsafe swiftlet_symbol()
        guard unsafe swiftlet_dladdr(address, &symbol) != 0, let file = unsafe symbol.file else {
            return "the program"
        }
        return unsafe String(cString: file)
    }

    /// Libraries of Apple's systems are not for programs.
    private static func isApples(_ file: String) -> Bool {
        #if canImport(Darwin)
            file.hasPrefix("/usr/lib/") || file.hasPrefix("/System/")
        #else
            false
        #endif
    }

    /// Two halves of different origin have the same functions and different structures.
    private static func demandOnePlace(_ ssl: String, _ crypto: String) throws(TLSError) {
        guard ssl != crypto, folder(of: ssl) != folder(of: crypto) else { return }
        throw TLSError(
            .libraryMissing,
            "libssl is in \(ssl), and libcrypto in \(crypto): both must come from one place")
    }

    /// The folder of a file, without symbolic links. For a framework, the folder of the framework.
    private static func folder(of file: String) -> Substring {
        var path = file
        // realpath returns memory that the caller frees.
        if let real = unsafe realpath(file, nil) {
            path = unsafe String(cString: real)
            unsafe free(real)
        }
        var parts = path.split(separator: "/", omittingEmptySubsequences: false).dropLast()
        if let framework = parts.lastIndex(where: { $0.hasSuffix(".framework") }) {
            parts = parts[..<framework]
        }
        return path[..<(parts.last?.endIndex ?? path.startIndex)]
    }
}

// MARK: - Files

extension OpenSSLLibrary {
    /// The newest first. Loading libssl also loads libcrypto, and both are searched.
    private static var fileNames: [String] {
        #if canImport(Darwin)
            ["libssl.4.dylib", "libssl.3.dylib", "libssl.1.1.dylib"]
        #else
            ["libssl.so.4", "libssl.so.3", "libssl.so.1.1"]
        #endif
    }

    private static var systemNames: [String] {
        #if os(macOS)
            [
                "libssl.4.dylib", "libssl.3.dylib",
                "/opt/homebrew/opt/openssl@3/lib/libssl.3.dylib",
                "/usr/local/opt/openssl@3/lib/libssl.3.dylib", "libssl.1.1.dylib",
            ]
        #elseif canImport(Darwin)
            []
        #else
            fileNames
        #endif
    }

    /// The files that a path stands for: itself, or those in a folder.
    private static func files(of path: String) -> [String] {
        FileStamp(path: path + "/.") == nil ? [path] : fileNames.map { "\(path)/\($0)" }
    }

    /// Loads the first of `names` that exists. It stays loaded until the process ends.
    ///
    /// - Parameter source: What named the files, for errors. Nil for those of the system.
    static func load(_ names: [String], _ source: String?) throws(TLSError) -> OpenSSLLibrary {
        var failures: [String] = []
        for name in names {
            // So that the loader does not look for it elsewhere.
            if let libcrypto = neighbour(of: name) { _ = unsafe dlopen(libcrypto, RTLD_NOW) }
            if let handle = unsafe dlopen(name, RTLD_NOW) {
                try unsafe demandUnmixed(handle, name)
                return try unsafe OpenSSLLibrary("of \(name)") { unsafe symbol($0, in: handle) }
            }
            guard let text = unsafe dlerror().map({ unsafe String(cString: $0) }),
                !isAbsence(of: name, text)
            else { continue }
            failures.append(text)
        }
        let of = source.map { " from \($0)" } ?? ""
        guard failures.isEmpty else {
            let reasons = failures.joined(separator: "; ")
            throw TLSError(.libraryMissing, "OpenSSL does not load\(of): \(reasons). \(ways)")
        }
        var places = ["not in the process"]
        if source == nil { places.append("not named by \(variable)") }
        if !names.isEmpty { places.append("not a file \(names.joined(separator: ", "))") }
        throw TLSError(
            .libraryMissing,
            "no OpenSSL was found\(of): \(places.joined(separator: ", ")). \(ways)")
    }

    /// What a program or its user can do.
    private static var ways: String {
        #if os(macOS)
            let first = "install openssl@3 (Homebrew)"
        #elseif canImport(Darwin)
            let first = "embed a framework of OpenSSL that the program links"
        #else
            let first = "install libssl3 (Debian, Ubuntu, Alpine) or openssl-libs (Fedora)"
        #endif
        return "To have TLS, \(first), or link an archive of OpenSSL and name it with TLSLibrary, "
            + "or give .tls(engine:) a TLSEngine"
    }

    /// The file of libcrypto beside that of libssl. Nil for a name without a folder.
    private static func neighbour(of file: String) -> String? {
        let parts = file.split(separator: "/", omittingEmptySubsequences: false)
        guard let name = parts.last, parts.count > 1, name.hasPrefix("libssl") else { return nil }
        return parts.dropLast().joined(separator: "/") + "/libcrypto"
            + name.dropFirst("libssl".count)
    }

    /// Throws if the loaded libssl does not use the libcrypto beside it. The loader prefers functions that the
    /// program exports, whose version no library asks for. Those of another libcrypto.so have their own version.
    private static func demandUnmixed(
        _ handle: UnsafeMutableRawPointer, _ name: String
    ) throws(TLSError) {
        // If one is missing, the next step says so.
        guard let ssl = unsafe symbol(halves.ssl, in: handle),
            let crypto = unsafe symbol(halves.crypto, in: handle)
        else { return }
        let file = unsafe imageFile(of: ssl)
        try unsafe demandOnePlace(file, imageFile(of: crypto))
        guard let exported = unsafe symbol(halves.crypto, in: process), unsafe exported != crypto
        else { return }
        let other = unsafe imageFile(of: exported)
        let isLibrary = other.split(separator: "/").last?.hasPrefix("libcrypto") == true
        guard !isLibrary, !isApples(other) else { return }
        throw TLSError(
            .libraryMissing,
            "\(other) exports a libcrypto without libssl, which \(file) would use: link and export both"
        )
    }

    /// Whether the loader reports that the file does not exist. Other errors report a broken file, or a
    /// missing library that the file needs.
    private static func isAbsence(of name: String, _ text: String) -> Bool {
        has(text, name) && has(text, "o such file") && !has(text, "needed by")
            && !has(text, "Library not loaded")
    }

    /// Whether `text` contains `part`, compared byte by byte. The standard library's search would add its
    /// engine for regular expressions, one megabyte, to every static binary.
    private static func has(_ text: String, _ part: String) -> Bool {
        let bytes = Array(text.utf8)
        return bytes.indices.contains { bytes[$0...].starts(with: part.utf8) }
    }
}
