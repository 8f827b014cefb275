import SwiftletCore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

extension XDS.Bootstrap {
    /// Reads the bootstrap that the environment of the process names.
    static func ofEnvironment() throws(RPCError) -> XDS.Bootstrap {
        // Safe: the C library owns the text, which is copied at once.
        try ofEnvironment({ name in unsafe getenv(name).map { unsafe String(cString: $0) } }) {
            (path) throws(RPCError) in try TextFile.contents(of: path)
        }
    }
}
