#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

extension Socket {
    /// Reads at most `count` bytes. All later bytes stay in the socket, because the bytes after an
    /// unencrypted handshake belong to another reader. Nil if no bytes are available now. Empty at the end of
    /// the stream.
    package func read(atMost count: Int) throws(SystemError) -> [UInt8]? {
        guard count > 0 else { return nil }
        var result = ReadResult.count(0)
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { room, filled in
            // `recv` writes at most `count` bytes, and `room` has space for as many.
            result = .of { unsafe recv(descriptor, room.baseAddress, count, 0) }
            filled = result.byteCount
        }
        switch try result.get() {
        case .wouldBlock: return nil
        default: return bytes
        }
    }

    /// Writes as much of `bytes` as the system accepts now. Returns the rest.
    package func write(_ bytes: ArraySlice<UInt8>) throws(SystemError) -> ArraySlice<UInt8> {
        var list = GatherList()
        list.append(referencing: Array(bytes))
        var left = bytes
        while case .bytes(let count) = try write(gathering: &list), count > 0 {
            left = left.dropFirst(count)
        }
        return left
    }
}
