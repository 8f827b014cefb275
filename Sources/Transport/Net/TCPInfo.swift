import CSwiftletSystem

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// The system's statistics of a TCP connection: Linux's `TCP_INFO`.
///
/// Its layout is a part of the kernel's interface: fields are only ever appended.
package struct TCPInfo: Sendable {
    /// Eight bytes, then 24 integers of 32 bits.
    private static let byteCount = 8 + 4 * 24

    private let bytes: [UInt8]

    /// Nil if there are too few bytes.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count >= Self.byteCount else { return nil }
        self.bytes = bytes
    }
}

extension TCPInfo {
    package var state: UInt32 { UInt32(bytes[0]) }
    package var congestionState: UInt32 { UInt32(bytes[1]) }
    package var retransmits: UInt32 { UInt32(bytes[2]) }
    package var probes: UInt32 { UInt32(bytes[3]) }
    package var backoff: UInt32 { UInt32(bytes[4]) }
    package var options: UInt32 { UInt32(bytes[5]) }
    package var sendWindowScale: UInt32 { UInt32(bytes[6] & 0x0f) }
    package var receiveWindowScale: UInt32 { UInt32(bytes[6] >> 4) }

    /// Times in microseconds, sizes in bytes or segments. They have the units and the order of `tcp_info`,
    /// from `rto` to `total_retrans`.
    package var values: [UInt32] { (0..<24).map { value($0) } }

    /// The smoothed round-trip time.
    package var roundTripTime: Duration { .microseconds(value(15)) }
    /// Segments that were sent again since the connection was opened.
    package var retransmissionCount: UInt32 { value(23) }
    /// The congestion window, in segments.
    package var congestionWindow: UInt32 { value(18) }

    /// Reads one integer, in the byte order of the machine.
    private func value(_ index: Int) -> UInt32 {
        let offset = 8 + 4 * index
        return bytes[offset..<offset + 4].reversed().reduce(0) { $0 << 8 | UInt32($1) }
    }
}

extension Socket {
    /// The system's `TCP_INFO` of the connection. Nil if the platform or the socket has none.
    package var tcpInfo: TCPInfo? {
        #if os(Linux) && _endian(little)
            var bytes = [UInt8](repeating: 0, count: 256)
            var byteCount = socklen_t(bytes.count)
            let result = unsafe bytes.withUnsafeMutableBytes { buffer in
                unsafe getsockopt(
                    descriptor, swiftlet_ipproto_tcp, TCP_INFO, buffer.baseAddress, &byteCount)
            }
            guard result == 0 else { return nil }
            return TCPInfo(Array(bytes.prefix(Int(byteCount))))
        #else
            return nil
        #endif
    }
}
