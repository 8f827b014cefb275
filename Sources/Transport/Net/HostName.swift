#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// The name of this machine.
package enum HostName {
    private static let maxByteCount = 256

    /// The host name that the system reports; empty if it has none.
    package static var current: String {
        var name = [CChar](repeating: 0, count: maxByteCount)
        // gethostname writes at most the count. If the name is longer, the zero at its end may be missing.
        guard unsafe gethostname(&name, name.count) == 0 else { return "" }
        return String(
            decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
