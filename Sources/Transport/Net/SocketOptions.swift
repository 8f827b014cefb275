import CSwiftletSystem

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Options of a connected socket.
package struct SocketOptions: Sendable {
    /// TCP keep-alive probes on an idle socket.
    struct KeepAlive: Sendable {
        var idle: Duration
        var interval: Duration
        var probeCount: CInt

        init(
            idle: Duration = .seconds(60), interval: Duration = .seconds(20), probeCount: CInt = 3
        ) {
            self.idle = idle
            self.interval = interval
            self.probeCount = probeCount
        }
    }

    /// Whether small frames are sent without waiting for the acknowledgement of earlier ones.
    package var noDelay = true
    var keepAlive: KeepAlive?
    /// How long sent bytes may stay unacknowledged before the connection is closed. Linux only;
    /// ignored elsewhere.
    package var userTimeout: Duration?

    package init() {}
}

extension Socket {
    /// Sets `options`. TCP options have no effect on a Unix-domain socket.
    package func apply(_ options: SocketOptions, isTCP: Bool) throws(SystemError) {
        guard isTCP else { return }
        let tcp = swiftlet_ipproto_tcp
        if options.noDelay { try setOption(tcp, TCP_NODELAY, 1, "TCP_NODELAY") }
        if let keepAlive = options.keepAlive {
            let idle = Self.wholeSeconds(keepAlive.idle)
            let interval = Self.wholeSeconds(keepAlive.interval)
            try setOption(SOL_SOCKET, SO_KEEPALIVE, 1, "SO_KEEPALIVE")
            try setOption(tcp, swiftlet_tcp_keepidle, idle, "TCP_KEEPIDLE")
            try setOption(tcp, TCP_KEEPINTVL, interval, "TCP_KEEPINTVL")
            try setOption(tcp, TCP_KEEPCNT, max(1, keepAlive.probeCount), "TCP_KEEPCNT")
        }
        #if os(Linux)
            if let timeout = options.userTimeout {
                try setOption(
                    tcp, TCP_USER_TIMEOUT, Self.milliseconds(timeout), "TCP_USER_TIMEOUT")
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

    func option(_ level: CInt, _ option: CInt, _ name: String) throws(SystemError) -> CInt {
        var value: CInt = 0
        var size = socklen_t(MemoryLayout<CInt>.size)
        guard unsafe getsockopt(descriptor, level, option, &value, &size) == 0 else {
            throw .current("getsockopt", name)
        }
        return value
    }

    /// The duration in milliseconds. At least one, because zero means the system's default.
    private static func milliseconds(_ duration: Duration) -> CInt {
        let (seconds, attoseconds) = duration.components
        let whole = min(max(seconds, 0), 1_000_000) * 1_000
        return CInt(max(1, whole + max(attoseconds, 0) / 1_000_000_000_000_000))
    }

    /// The duration in seconds, between one and 32,767, which the system accepts.
    private static func wholeSeconds(_ duration: Duration) -> CInt {
        CInt(min(max(duration.components.seconds, 1), 32_767))
    }
}
