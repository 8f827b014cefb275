/// OpenSSL's way to its session's octets: a BIO whose two ends are the buffers that the session
/// was lent for the step it is taking.
///
/// Ciphertext is decrypted from where the socket read it to, without a copy into a queue of
/// OpenSSL's own; and nothing of OpenSSL ever touches a descriptor, or could raise SIGPIPE.
enum OpenSSLPipe {
    /// How a pipe behaves. Made once, never changed, never freed: safe to share.
    private nonisolated(unsafe) static let method: OpaquePointer? = unsafe makeMethod()

    // BIO_TYPE_SOURCE_SINK, BIO_FLAGS_READ | BIO_FLAGS_SHOULD_RETRY, BIO_CTRL_FLUSH.
    private static let sourceSink: CInt = 0x0400
    private static let retryRead: CInt = 0x01 | 0x08
    private static let flush: CInt = 11

    /// A new pipe that `session` outlives; nil without memory. The caller owns it.
    static func make(for session: OpenSSLSession, _ library: OpenSSLLibrary) -> OpaquePointer? {
        guard let pipe = unsafe library.bioNew(method) else { return nil }
        // Not retained: the session frees the pipe together with its SSL object.
        unsafe library.bioSetData(pipe, Unmanaged.passUnretained(session).toOpaque())
        unsafe library.bioSetInit(pipe, 1)
        return unsafe pipe
    }

    private static func makeMethod() -> OpaquePointer? {
        guard let library = try? OpenSSLLibrary.loaded.get() else { return nil }
        let type = library.bioGetNewIndex() | sourceSink
        guard let method = unsafe library.bioMethNew(type, "swiftlet") else { return nil }
        _ = unsafe library.bioMethSetRead(method) { pipe, destination, count in
            guard let library = try? OpenSSLLibrary.loaded.get(),
                let destination = unsafe destination,
                let session = unsafe OpenSSLPipe.session(of: pipe, library)
            else { return -1 }
            // OpenSSL gives room for `count` octets.
            let room = unsafe UnsafeMutableRawBufferPointer(start: destination, count: Int(count))
            let taken = unsafe session.takeIncoming(room)
            if taken > 0 { return CInt(taken) }
            unsafe library.bioSetFlags(pipe, OpenSSLPipe.retryRead)
            return -1
        }
        _ = unsafe library.bioMethSetWrite(method) { pipe, source, count in
            guard let library = try? OpenSSLLibrary.loaded.get(), let source = unsafe source,
                count > 0,
                let session = unsafe OpenSSLPipe.session(of: pipe, library)
            else { return -1 }
            // OpenSSL lends `count` octets for the time of this call.
            unsafe session.putOutgoing(UnsafeRawBufferPointer(start: source, count: Int(count)))
            return count
        }
        _ = unsafe library.bioMethSetCtrl(method) { _, command, _, _ in
            command == OpenSSLPipe.flush ? 1 : 0
        }
        return unsafe method
    }

    private static func session(
        of pipe: OpaquePointer?, _ library: OpenSSLLibrary
    ) -> OpenSSLSession? {
        unsafe library.bioClearFlags(pipe, retryRead)
        guard let data = unsafe library.bioGetData(pipe) else { return nil }
        return unsafe Unmanaged<OpenSSLSession>.fromOpaque(data).takeUnretainedValue()
    }
}
