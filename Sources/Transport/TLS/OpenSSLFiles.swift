#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

// The files that OpenSSL is loaded from, when the process has none.

extension OpenSSLLibrary {
    /// The newest first. Loading libssl also loads libcrypto, and both are searched.
    private static var fileNames: [String] {
        #if canImport(Darwin)
            ["libssl.4.dylib", "libssl.3.dylib", "libssl.1.1.dylib"]
        #else
            ["libssl.so.4", "libssl.so.3", "libssl.so.1.1"]
        #endif
    }

    static var systemNames: [String] {
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

    /// The files to try for a path. A path of a file is that file; a folder has one for each version.
    static func files(of path: String) -> [String] {
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
                let symbols = unsafe OpenSSLSymbols(image: handle)
                try demandUnmixed(symbols)
                return try OpenSSLLibrary("of \(name)", symbols)
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
            + "or import SwiftletSecurity and give .tls(engine:) a TLSEngine"
    }

    /// The file of libcrypto beside that of libssl. Nil for a name without a folder.
    private static func neighbour(of file: String) -> String? {
        guard let slash = file.lastIndex(of: "/") else { return nil }
        let name = file[slash...]
        guard name.hasPrefix("/libssl") else { return nil }
        return file[..<slash] + "/libcrypto" + name.dropFirst("/libssl".count)
    }

    /// Throws if the loaded libssl does not use the libcrypto beside it. The loader prefers functions that the
    /// program exports, whose version no library asks for. Those of another libcrypto.so have their own version.
    private static func demandUnmixed(_ symbols: OpenSSLSymbols) throws(TLSError) {
        // If one is missing, the next step says so.
        guard let ssl = unsafe symbols.address(of: halves.ssl),
            let crypto = unsafe symbols.address(of: halves.crypto)
        else { return }
        let file = unsafe imageFile(of: ssl)
        try unsafe demandOnePlace(file, imageFile(of: crypto))
        let process = unsafe OpenSSLSymbols(image: process)
        guard let exported = unsafe process.address(of: halves.crypto), unsafe exported != crypto
        else { return }
        let other = unsafe imageFile(of: exported)
        let name = other.lastIndex(of: "/").map(other.index(after:)) ?? other.startIndex
        guard !other[name...].hasPrefix("libcrypto"), !isApples(other) else { return }
        throw TLSError(
            .libraryMissing,
            "\(other) exports a libcrypto without libssl, which \(file) would use: link and export both"
        )
    }

    /// Whether the loader reports that the file does not exist. Other errors report a broken file, or a
    /// missing library that the file needs.
    private static func isAbsence(of name: String, _ text: String) -> Bool {
        text.containsBytes(of: name) && text.containsBytes(of: "o such file")
            && !text.containsBytes(of: "needed by") && !text.containsBytes(of: "Library not loaded")
    }
}
