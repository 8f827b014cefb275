import CSwiftletSystem

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

extension Socket {
    /// Sets the options of a connected TCP socket: small frames are sent without waiting for the acknowledgement of
    /// earlier ones.
    ///
    /// - Parameter userTimeout: How long sent bytes may stay unacknowledged before the connection is closed. Linux
    ///   only; ignored elsewhere.
    package func setTCPOptions(userTimeout: Duration? = nil) throws(SystemError) {
        let tcp = swiftlet_ipproto_tcp
        try setOption(tcp, TCP_NODELAY, 1, "TCP_NODELAY")
        #if os(Linux)
            if let userTimeout {
                try setOption(
                    tcp, TCP_USER_TIMEOUT, Self.milliseconds(userTimeout), "TCP_USER_TIMEOUT")
            }
        #endif
    }

    func setOption(
        _ level: CInt, _ option: CInt, _ value: CInt, _ name: String
    ) throws(SystemError) {
        var value = value
        let size = socklen_t(MemoryLayout<CInt>.size)
        guard unsafe setsockopt(descriptor, level, option, &value, size) == 0 else {
            throw .current("setsockopt", name)
        }
    }

    /// The duration in milliseconds. At least one, because zero means the system's default.
    private static func milliseconds(_ duration: Duration) -> CInt {
        // Compared as a duration: the seconds of a longer one are no `Int64`.
        let (seconds, attoseconds) =
            min(max(duration, .milliseconds(1)), .seconds(1_000_000)).components
        return CInt(seconds * 1_000 + attoseconds / 1_000_000_000_000_000)
    }
}
