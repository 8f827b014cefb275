import CSwiftletSystem

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A descriptor that becomes readable when the machine's interfaces or addresses change: netlink on
/// Linux, the routing socket on Darwin.
package struct NetworkWatch: ~Copyable, Sendable {
    private let socket: Socket

    package init() throws(SystemError) {
        #if os(Linux)
            let type = swiftlet_sock_raw | swiftlet_sock_birth_flags
            let descriptor = CSwiftletSystem.socket(AF_NETLINK, type, NETLINK_ROUTE)
        #else
            let descriptor = Darwin.socket(PF_ROUTE, swiftlet_sock_raw, 0)
        #endif
        guard descriptor >= 0 else { throw .current("socket", "for changes of the network") }
        let socket = Socket(adopting: descriptor)
        try Self.subscribe(socket)
        self.socket = socket
    }

    private static func subscribe(_ socket: borrowing Socket) throws(SystemError) {
        try socket.prepareWhereBirthFlagsAreMissing()
        #if os(Linux)
            var address = sockaddr_nl()
            address.nl_family = sa_family_t(AF_NETLINK)
            address.nl_groups = UInt32(
                RTMGRP_LINK | RTMGRP_IPV4_IFADDR | RTMGRP_IPV6_IFADDR | RTMGRP_IPV4_ROUTE)
            let descriptor = socket.descriptor
            let status = unsafe withUnsafePointer(to: &address) { pointer in
                // bind reads exactly the length that it is given.
                unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    unsafe bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_nl>.size))
                }
            }
            guard status == 0 else { throw .current("bind", "for changes of the network") }
        #endif
    }

    package var descriptor: CInt { socket.descriptor }

    /// Reads and discards the kernel's notifications. The caller then calls ``hasNetwork()``, so
    /// that a lost notification is harmless.
    package func drain() {
        var buffer = [UInt8](repeating: 0, count: 4_096)
        while true {
            let count = unsafe buffer.withUnsafeMutableBytes { bytes in
                // The kernel writes at most the count that it is given.
                unsafe recv(socket.descriptor, bytes.baseAddress, bytes.count, 0)
            }
            if count > 0 { continue }
            if count < 0, errno == EINTR || errno == ENOBUFS { continue }
            return
        }
    }

    /// Whether an interface other than loopback is up and has an address that is not link-local.
    package static func hasNetwork() throws(SystemError) -> Bool {
        var list: UnsafeMutablePointer<ifaddrs>?
        guard unsafe getifaddrs(&list) == 0 else {
            throw .current("getifaddrs", "the machine's interfaces")
        }
        defer { unsafe freeifaddrs(list) }
        var next = unsafe list
        // The system owns the list, which ends with nil and is valid until freeifaddrs.
        while let entry = unsafe next {
            unsafe next = entry.pointee.ifa_next
            let flags = unsafe UInt32(entry.pointee.ifa_flags)
            guard flags & swiftlet_interface_up == swiftlet_interface_up,
                flags & swiftlet_interface_loopback == 0,
                let address = unsafe entry.pointee.ifa_addr
            else { continue }
            if unsafe reachesFurther(address) { return true }
        }
        return false
    }

    private static func reachesFurther(_ address: UnsafeMutablePointer<sockaddr>) -> Bool {
        let family = CInt(unsafe address.pointee.sa_family)
        // The length of an address follows from its family.
        let length =
            switch family {
            case AF_INET: MemoryLayout<sockaddr_in>.size
            case AF_INET6: MemoryLayout<sockaddr_in6>.size
            default: 0
            }
        guard length > 0 else { return false }
        switch unsafe SocketAddress(system: address, length: length) {
        // 169.254/16 and fe80::/10 are link-local.
        case .ipv4(let number, _): return number >> 16 != 0xa9fe
        case .ipv6(let bytes, _, _): return !(bytes[0] == 0xfe && bytes[1] & 0xc0 == 0x80)
        default: return false
        }
    }
}
