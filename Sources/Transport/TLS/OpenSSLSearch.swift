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
    static let variable = "SWIFTLET_OPENSSL"

    private static let chosen = Mutex<OpenSSLLibrary?>(nil)

    /// The library of the process, for callbacks. Nil before ``shared()`` has returned.
    static let inUse: OpenSSLLibrary? = chosen.withLock { $0 }

    /// The OpenSSL of all connections of the process. The first call finds it: in the process; otherwise in the
    /// file or folder that the environment names; otherwise, if it names none, in the system.
    package static func shared() throws(TLSError) -> OpenSSLLibrary {
        if let library = chosen.withLock({ $0 }) { return library }
        if let library = try inProcess() { return keep(library) }
        if let path = namedPath {
            return keep(try load(files(of: path), "\(variable)=\(path)"))
        }
        return keep(try load(systemNames, nil))
    }

    /// The value of ``variable``. Nil if there is none, and in a program that has more rights than the user who
    /// started it, who may have set the variable.
    private static var namedPath: String? {
        #if canImport(Darwin)
            guard issetugid() == 0, let value = unsafe getenv(variable) else { return nil }
        #else
            guard let value = unsafe secure_getenv(variable) else { return nil }
        #endif
        let path = unsafe String(cString: value)
        return path.isEmpty ? nil : path
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
        try unsafe withoutActuallyEscaping(address) { address throws(TLSError) in
            try unsafe choose(
                OpenSSLLibrary("that the program names", OpenSSLSymbols(program: address)))
        }
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
    static let halves = (ssl: "SSL_CTX_new", crypto: "X509_free")

    /// RTLD_DEFAULT, a macro that is not imported.
    static var process: UnsafeMutableRawPointer? {
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
        let symbols = unsafe OpenSSLSymbols(image: process)
        guard let ssl = unsafe symbols.address(of: halves.ssl) else { return nil }
        let file = unsafe imageFile(of: ssl)
        guard !isApples(file) else { return nil }
        guard let crypto = unsafe symbols.address(of: halves.crypto) else {
            throw TLSError(
                .libraryMissing,
                "\(file) has libssl in it, but the process has no libcrypto: link and export both")
        }
        try unsafe demandOnePlace(file, imageFile(of: crypto))
        return try OpenSSLLibrary("in the process (\(file))", symbols)
    }

    /// The file of the program or library that an address belongs to.
    static func imageFile(of address: UnsafeMutableRawPointer) -> String {
        var symbol = unsafe swiftlet_symbol()
        guard unsafe swiftlet_dladdr(address, &symbol) != 0, let file = unsafe symbol.file else {
            return "the program"
        }
        return unsafe String(cString: file)
    }

    /// Libraries of Apple's systems are not for programs.
    static func isApples(_ file: String) -> Bool {
        #if canImport(Darwin)
            file.hasPrefix("/usr/lib/") || file.hasPrefix("/System/")
        #else
            false
        #endif
    }

    /// Two halves of different origin have the same functions and different structures.
    static func demandOnePlace(_ ssl: String, _ crypto: String) throws(TLSError) {
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
        let folder = path[..<(path.lastIndex(of: "/") ?? path.startIndex)]
        var part = folder
        while let slash = part.lastIndex(of: "/") {
            if part.hasSuffix(".framework") { return part[..<slash] }
            part = part[..<slash]
        }
        return folder
    }
}
