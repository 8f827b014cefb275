#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Where the functions of a library are looked up by their C names.
///
/// It is safe to use, because it calls no function. The caller of a function states its type.
@safe
struct OpenSSLSymbols {
    /// A loaded library, or the process, as `dlopen` names them; or what the program says.
    @unsafe private enum Origin {
        case image(UnsafeMutableRawPointer?)
        case program((String) -> UnsafeMutableRawPointer?)
    }

    private let origin: Origin
    /// The first function that ``find(_:_:)`` has not found.
    private(set) var missing: String?

    init(image: UnsafeMutableRawPointer?) { unsafe origin = .image(image) }

    init(program: @escaping (String) -> UnsafeMutableRawPointer?) {
        unsafe origin = .program(program)
    }

    func address(of name: String) -> UnsafeMutableRawPointer? {
        switch unsafe origin {
        case .image(let handle): unsafe dlsym(handle, name)
        case .program(let address): unsafe address(name)
        }
    }

    /// The function with a name, or with its older one. Notes one that is missing, and returns in its place an
    /// address that must not be called.
    @inline(never)
    mutating func find(_ name: String, _ older: String?) -> UnsafeMutableRawPointer {
        if let address = unsafe address(of: name) { return unsafe address }
        if let older, let address = unsafe address(of: older) { return unsafe address }
        missing = missing ?? name
        // Not nil, because a function's address is not. Nothing is read from it.
        return unsafe UnsafeMutableRawPointer(bitPattern: 1).unsafelyUnwrapped
    }
}
