import CSwiftletSystem

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

    /// As ``value(of:)``. Nil in a program that has more rights than the user who started it, who may have set the
    /// variable.
    package static func trustedValue(of name: String) -> String? {
        #if canImport(Darwin)
            return issetugid() == 0 ? value(of: name) : nil
        #else
            guard let value = unsafe secure_getenv(name) else { return nil }
            return unsafe String(cString: value)
        #endif
    }
}
