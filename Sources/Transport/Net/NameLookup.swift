import CSwiftletSystem

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Asks the system's resolver, with its settings, for the addresses of a name.
package enum NameLookup {
    /// Why a name has no address.
    package struct Failure: Error, Sendable, CustomStringConvertible {
        let host: String
        let reason: String

        package init(host: String, reason: String) {
            self.host = host
            self.reason = reason
        }

        package var description: String { "look up \(host): \(reason)" }
    }

    /// The addresses of `host` in the resolver's order (RFC 6724), without duplicates.
    ///
    /// Blocks until the resolver answers, possibly for many seconds. Do not call it on the thread
    /// of an event loop.
    package static func addresses(
        of host: String, port: UInt16
    ) throws(Failure) -> [SocketAddress] {
        guard !host.isEmpty, !host.utf8.contains(0) else {
            throw Failure(host: host, reason: "not a host name")
        }
        var hints = unsafe addrinfo()
        unsafe hints.ai_family = AF_UNSPEC
        // Without a socket type, each address would be returned once for every type.
        unsafe hints.ai_socktype = swiftlet_sock_stream
        var list: UnsafeMutablePointer<addrinfo>?
        let status = unsafe getaddrinfo(host, nil, &hints, &list)
        let code = errno
        guard status == 0 else { throw failure(host, status: status, code: code) }
        defer { unsafe freeaddrinfo(list) }
        let addresses = unsafe collect(list, port: port)
        guard !addresses.isEmpty else {
            throw Failure(host: host, reason: "the name has no address")
        }
        return addresses
    }

    private static func collect(
        _ list: UnsafeMutablePointer<addrinfo>?, port: UInt16
    ) -> [SocketAddress] {
        var addresses: [SocketAddress] = []
        var next = unsafe list
        // The resolver owns the list, which ends with nil and is valid until freeaddrinfo.
        while let entry = unsafe next {
            if let pointer = unsafe entry.pointee.ai_addr,
                let address = unsafe SocketAddress(
                    system: pointer, length: Int(entry.pointee.ai_addrlen))?.with(port: port),
                !addresses.contains(address)
            {
                addresses.append(address)
            }
            unsafe next = entry.pointee.ai_next
        }
        return addresses
    }

    private static func failure(_ host: String, status: CInt, code: CInt) -> Failure {
        if status == EAI_SYSTEM {
            return Failure(host: host, reason: SystemError("", "", code: code).text)
        }
        let text = unsafe gai_strerror(status).map { unsafe String(cString: $0) }
        let reason = text.map { $0.prefix(1).lowercased() + $0.dropFirst() } ?? "error \(status)"
        return Failure(host: host, reason: reason)
    }
}
