import CSwiftletSystem

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

// The system's representation of an address: a family, then bytes that depend on it.
extension SocketAddress {
    package var systemFamily: CInt {
        switch family {
        case .ipv4: AF_INET
        case .ipv6: AF_INET6
        case .unix: AF_UNIX
        case .vsock: Self.vsockFamily
        }
    }

    /// Calls `body` with the system's representation. Fails for a path that is too long or contains a zero
    /// byte, because the zero would end the path.
    func withSystemAddress<Result>(
        for operation: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) throws(SystemError) -> Result {
        var storage = sockaddr_storage()
        let length = try write(to: &storage, for: operation)
        #if canImport(Darwin)
            storage.ss_len = UInt8(length)
        #endif
        // sockaddr_storage has the size and alignment for every kind of address.
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
        case .ipv6(let bytes, let port, let scope):
            var address = sockaddr_in6()
            address.sin6_family = sa_family_t(AF_INET6)
            address.sin6_port = port.bigEndian
            address.sin6_scope_id = scope
            unsafe withUnsafeMutableBytes(of: &address.sin6_addr) {
                unsafe $0.storeBytes(of: bytes, as: IPv6Bytes.self)
            }
            unsafe withUnsafeMutableBytes(of: &storage) {
                unsafe $0.storeBytes(of: address, as: sockaddr_in6.self)
            }
            return MemoryLayout<sockaddr_in6>.size
        case .unix(let path):
            let bytes = Array(path.utf8)
            guard !bytes.isEmpty, !bytes.contains(0) else {
                throw SystemError(operation, description, code: EINVAL)
            }
            return try write(name: bytes + [0], to: &storage, for: operation)
        case .unixAbstract(let name):
            #if os(Linux)
                // The name begins with a zero, and ends with the address's length.
                return try write(name: [0] + name, to: &storage, for: operation)
            #else
                throw SystemError(operation, description, code: EAFNOSUPPORT)
            #endif
        case .vsock(let cid, let port):
            return try write(cid: cid, port: port, to: &storage, for: operation)
        }
    }

    private func write(
        cid: UInt32, port: UInt32, to storage: inout sockaddr_storage, for operation: String
    ) throws(SystemError) -> Int {
        #if os(Linux)
            unsafe withUnsafeMutableBytes(of: &storage) { bytes in
                // In bounds: sockaddr_storage has 128 bytes.
                unsafe bytes.storeBytes(
                    of: port, toByteOffset: Self.vsockPortOffset, as: UInt32.self)
                unsafe bytes.storeBytes(of: cid, toByteOffset: Self.vsockCIDOffset, as: UInt32.self)
            }
            return Self.vsockByteCount
        #else
            throw SystemError(operation, description, code: EAFNOSUPPORT)
        #endif
    }

    private func write(
        name: [UInt8], to storage: inout sockaddr_storage, for operation: String
    ) throws(SystemError) -> Int {
        guard name.count <= Self.nameCapacity else {
            throw SystemError(operation, description, code: ENAMETOOLONG)
        }
        unsafe withUnsafeMutableBytes(of: &storage) { bytes in
            // In bounds: the name fits sun_path, and sockaddr_un fits sockaddr_storage.
            for (index, byte) in name.enumerated() {
                unsafe bytes[Self.nameOffset + index] = byte
            }
        }
        return Self.nameOffset + name.count
    }

    /// AF_VSOCK and the layout of sockaddr_vm (vsock(7)), which the C library's headers do not contain: a
    /// family, two reserved bytes, the port and the context identifier, both in the byte order of the
    /// machine.
    fileprivate static let vsockFamily: CInt = 40
    fileprivate static let vsockPortOffset = 4
    fileprivate static let vsockCIDOffset = 8
    fileprivate static let vsockByteCount = 16

    private static var nameOffset: Int { MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? 2 }
    /// The most bytes of a name: a path with the zero byte after it, or an abstract name with the zero byte
    /// before it.
    package static var nameCapacity: Int { MemoryLayout<sockaddr_un>.size - nameOffset }
}

extension SocketAddress {
    /// Reads an address of `length` bytes that the system wrote. Nil for other families.
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
            var bytes = address.sin6_addr
            self = .ipv6(
                unsafe withUnsafeBytes(of: &bytes) {
                    unsafe $0.loadUnaligned(as: IPv6Bytes.self)
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
        #if os(Linux)
            case Self.vsockFamily where length >= Self.vsockByteCount:
                self = unsafe .vsock(
                    cid: bytes.loadUnaligned(
                        fromByteOffset: Self.vsockCIDOffset, as: UInt32.self),
                    port: bytes.loadUnaligned(
                        fromByteOffset: Self.vsockPortOffset, as: UInt32.self))
        #endif
        default:
            return nil
        }
    }

    /// Reads an address from the system. `call` is getsockname, getpeername or similar.
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
        // The system may report more bytes than it wrote. Reads no more bytes than the storage has.
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
