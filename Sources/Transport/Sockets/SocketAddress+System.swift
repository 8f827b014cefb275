import CSwiftletSystem

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

// The system's form of an address: a family, then octets whose meaning depends on it.
extension SocketAddress {
    var systemFamily: CInt {
        switch family {
        case .ipv4: AF_INET
        case .ipv6: AF_INET6
        case .unix: AF_UNIX
        }
    }

    /// Lends `body` the address as the system wants it. Fails when a path is too long, or has a
    /// zero in it, which would silently name another file.
    func withSystemAddress<Result>(
        for operation: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) throws(SystemError) -> Result {
        var storage = sockaddr_storage()
        let length = try write(to: &storage, for: operation)
        #if canImport(Darwin)
            storage.ss_len = UInt8(length)
        #endif
        // sockaddr_storage is defined to hold, and be aligned for, every kind of address.
        return unsafe withUnsafePointer(to: &storage) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe body($0, socklen_t(length))
            }
        }
    }

    private func write(
        to storage: inout sockaddr_storage, for operation: String
    ) throws(SystemError) -> Int {
        storage.ss_family = sa_family_t(systemFamily)
        switch self {
        case .ipv4(let number, let port):
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            address.sin_addr.s_addr = number.bigEndian
            unsafe withUnsafeMutableBytes(of: &storage) {
                unsafe $0.storeBytes(of: address, as: sockaddr_in.self)
            }
            return MemoryLayout<sockaddr_in>.size
        case .ipv6(let octets, let port, let scope):
            var address = sockaddr_in6()
            address.sin6_family = sa_family_t(AF_INET6)
            address.sin6_port = port.bigEndian
            address.sin6_scope_id = scope
            unsafe withUnsafeMutableBytes(of: &address.sin6_addr) {
                unsafe $0.storeBytes(of: octets, as: IPv6Octets.self)
            }
            unsafe withUnsafeMutableBytes(of: &storage) {
                unsafe $0.storeBytes(of: address, as: sockaddr_in6.self)
            }
            return MemoryLayout<sockaddr_in6>.size
        case .unix(let path):
            let octets = Array(path.utf8)
            guard !octets.isEmpty, !octets.contains(0) else {
                throw SystemError(operation, description, code: EINVAL)
            }
            return try write(name: octets + [0], to: &storage, for: operation)
        case .unixAbstract(let name):
            #if os(Linux)
                // The name begins with a zero, and ends where the address's length says.
                return try write(name: [0] + name, to: &storage, for: operation)
            #else
                throw SystemError(operation, description, code: EAFNOSUPPORT)
            #endif
        }
    }

    private func write(
        name: [UInt8], to storage: inout sockaddr_storage, for operation: String
    ) throws(SystemError) -> Int {
        guard name.count <= Self.nameCapacity else {
            throw SystemError(operation, description, code: ENAMETOOLONG)
        }
        unsafe withUnsafeMutableBytes(of: &storage) { bytes in
            // In bounds: the name fits sun_path, and sockaddr_un fits sockaddr_storage.
            for (index, octet) in name.enumerated() {
                unsafe bytes[Self.nameOffset + index] = octet
            }
        }
        return Self.nameOffset + name.count
    }

    private static var nameOffset: Int { MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? 2 }
    /// Octets of a path and the zero behind it, or of an abstract name and the zero before it.
    package static var nameCapacity: Int { MemoryLayout<sockaddr_un>.size - nameOffset }
}

extension SocketAddress {
    /// Reads an address of `length` octets that the system wrote; nil for other families.
    init?(system pointer: UnsafePointer<sockaddr>, length: Int) {
        let bytes = unsafe UnsafeRawBufferPointer(start: pointer, count: length)
        guard length >= Self.nameOffset else { return nil }
        let family = unsafe CInt(pointer.pointee.sa_family)
        switch family {
        case AF_INET where length >= MemoryLayout<sockaddr_in>.size:
            let address = unsafe bytes.loadUnaligned(as: sockaddr_in.self)
            self = .ipv4(
                UInt32(bigEndian: address.sin_addr.s_addr),
                port: UInt16(bigEndian: address.sin_port))
        case AF_INET6 where length >= MemoryLayout<sockaddr_in6>.size:
            let address = unsafe bytes.loadUnaligned(as: sockaddr_in6.self)
            var octets = address.sin6_addr
            self = .ipv6(
                unsafe withUnsafeBytes(of: &octets) {
                    unsafe $0.loadUnaligned(as: IPv6Octets.self)
                },
                port: UInt16(bigEndian: address.sin6_port), scope: address.sin6_scope_id)
        case AF_UNIX:
            let name = unsafe bytes.dropFirst(Self.nameOffset)
            if unsafe name.first == 0, unsafe name.count > 1 {
                self = unsafe .unixAbstract(name: Array(name.dropFirst()))
            } else {
                self = unsafe .unix(
                    path: String(decoding: name.prefix { $0 != 0 }, as: UTF8.self))
            }
        default:
            return nil
        }
    }

    /// Asks the system for an address: `call` is getsockname, getpeername or the like.
    static func read(
        _ operation: String,
        _ call: (UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> CInt
    ) throws(SystemError) -> SocketAddress {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let status = unsafe withUnsafeMutablePointer(to: &storage) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe call($0, &length)
            }
        }
        guard status == 0 else { throw .current(operation) }
        // The system may report more than it wrote; no more than the storage is looked at.
        let count = min(Int(length), MemoryLayout<sockaddr_storage>.size)
        let address = unsafe withUnsafePointer(to: &storage) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe SocketAddress(system: $0, length: count)
            }
        }
        guard let address else { throw SystemError(operation, "", code: EAFNOSUPPORT) }
        return address
    }
}
