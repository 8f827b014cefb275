#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// The system's zlib, loaded when it is first needed. It is not linked, because most systems have
/// the library, but not its header.
///
/// The types of the functions and the layout of `z_stream` are those of zlib's stable interface
/// (version 1.x). `deflateInit2_` and `inflateInit2_` check the version and the size of `z_stream`,
/// and fail if they differ.
@safe struct ZlibLibrary: Sendable {
    /// `z_stream`, as in zlib.h since version 1.0.
    @unsafe struct Stream {
        var nextIn: UnsafePointer<UInt8>?
        var availableIn: UInt32 = 0
        var totalIn: UInt = 0
        var nextOut: UnsafeMutablePointer<UInt8>?
        var availableOut: UInt32 = 0
        var totalOut: UInt = 0
        var message: UnsafePointer<CChar>?
        var state: OpaquePointer?
        var allocate: OpaquePointer?
        var free: OpaquePointer?
        var opaque: OpaquePointer?
        var dataType: Int32 = 0
        var adler: UInt = 0
        var reserved: UInt = 0
    }

    /// A pointer to a ``Stream``, which has the layout that C expects.
    typealias StreamPointer = UnsafeMutableRawPointer
    typealias DeflateInit =
        @convention(c) (
            StreamPointer, Int32, Int32, Int32, Int32, Int32, UnsafePointer<CChar>, Int32
        ) -> Int32
    typealias InflateInit =
        @convention(c) (
            StreamPointer, Int32, UnsafePointer<CChar>, Int32
        ) -> Int32
    typealias Step = @convention(c) (StreamPointer, Int32) -> Int32
    typealias End = @convention(c) (StreamPointer) -> Int32
    private typealias Version = @convention(c) () -> UnsafePointer<CChar>?

    let deflateInit: DeflateInit
    let deflate: Step
    let deflateEnd: End
    let inflateInit: InflateInit
    let inflate: Step
    let inflateEnd: End
    /// Begins with the next member of a gzip stream, and resets the counts.
    let inflateReset: End

    static let version = "1.2.11"
    static let ok: Int32 = 0
    static let streamEnd: Int32 = 1
    static let bufferError: Int32 = -5
    static let finish: Int32 = 4
    static let noFlush: Int32 = 0

    /// Nil if the system has no zlib.
    static let shared: ZlibLibrary? = load()

    private static func load() -> ZlibLibrary? {
        for name in ["libz.so.1", "libz.so", "libz.1.dylib", "libz.dylib"] {
            // The library stays loaded until the end of the program.
            if let handle = unsafe dlopen(name, RTLD_NOW) { return unsafe ZlibLibrary(handle) }
        }
        return nil
    }

    private init?(_ handle: UnsafeMutableRawPointer) {
        // Each symbol is a function with the type of the property that it is assigned to, according
        // to zlib's documentation.
        guard let deflateInit = unsafe dlsym(handle, "deflateInit2_"),
            let deflate = unsafe dlsym(handle, "deflate"),
            let deflateEnd = unsafe dlsym(handle, "deflateEnd"),
            let inflateInit = unsafe dlsym(handle, "inflateInit2_"),
            let inflate = unsafe dlsym(handle, "inflate"),
            let inflateEnd = unsafe dlsym(handle, "inflateEnd"),
            let inflateReset = unsafe dlsym(handle, "inflateReset"),
            let version = unsafe dlsym(handle, "zlibVersion")
        else { return nil }
        // zlib.h: the first character of the version must equal that of the header's version.
        guard let text = unsafe unsafeBitCast(version, to: Version.self)(),
            unsafe text.pointee == CChar(bitPattern: UInt8(ascii: "1"))
        else { return nil }
        unsafe self.deflateInit = unsafe unsafeBitCast(deflateInit, to: DeflateInit.self)
        unsafe self.deflate = unsafe unsafeBitCast(deflate, to: Step.self)
        unsafe self.deflateEnd = unsafe unsafeBitCast(deflateEnd, to: End.self)
        unsafe self.inflateInit = unsafe unsafeBitCast(inflateInit, to: InflateInit.self)
        unsafe self.inflate = unsafe unsafeBitCast(inflate, to: Step.self)
        unsafe self.inflateEnd = unsafe unsafeBitCast(inflateEnd, to: End.self)
        unsafe self.inflateReset = unsafe unsafeBitCast(inflateReset, to: End.self)
    }
}
