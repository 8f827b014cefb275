#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// The environment of the process.
package enum Environment {
    /// The value of a variable; nil if it is not set. If a program changes its environment on another thread
    /// at the same time, the two accesses are a data race, as for every reader of the environment.
    package static func value(of name: String) -> String? {
        // getenv returns nil or a terminated string that lives until the variable is changed.
        guard let value = unsafe getenv(name) else { return nil }
        return unsafe String(cString: value)
    }
}
