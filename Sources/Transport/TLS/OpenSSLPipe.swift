/// A BIO through which OpenSSL reads and writes the buffers of its session's current step.
///
/// OpenSSL decrypts ciphertext in the buffer that the socket was read into, without another copy. It uses no
/// descriptors, so it cannot raise SIGPIPE.
enum OpenSSLPipe {
    /// The functions of a pipe. Made once and never changed or freed, so it is safe to share.
    private nonisolated(unsafe) static let method: OpaquePointer? = unsafe makeMethod()

    private static let retryRead = OpenSSL.BIO_FLAGS_READ | OpenSSL.BIO_FLAGS_SHOULD_RETRY

    /// Makes a pipe, which the caller owns. `session` must outlive it. Nil if OpenSSL fails.
    static func make(for session: OpenSSLSession, _ library: OpenSSLLibrary) -> OpaquePointer? {
        guard let pipe = unsafe library.bioNew(method) else { return nil }
        // Not retained: the session frees the pipe together with its SSL object.
        unsafe library.bioSetData(pipe, Unmanaged.passUnretained(session).toOpaque())
        unsafe library.bioSetInit(pipe, 1)
        return unsafe pipe
    }

    private static func makeMethod() -> OpaquePointer? {
        guard let library = OpenSSLLibrary.inUse else { return nil }
        let type = library.bioGetNewIndex() | OpenSSL.BIO_TYPE_SOURCE_SINK
        guard let method = unsafe library.bioMethNew(type, "swiftlet") else { return nil }
        _ = unsafe library.bioMethSetRead(method) { pipe, destination, count in
            guard let library = OpenSSLLibrary.inUse,
                let destination = unsafe destination,
                let session = unsafe OpenSSLPipe.session(of: pipe, library)
            else { return -1 }
            // OpenSSL provides `count` bytes.
            let room = unsafe UnsafeMutableRawBufferPointer(start: destination, count: Int(count))
            let taken = unsafe session.takeIncoming(room)
            if taken > 0 { return CInt(taken) }
            unsafe library.bioSetFlags(pipe, OpenSSLPipe.retryRead)
            return -1
        }
        _ = unsafe library.bioMethSetWrite(method) { pipe, source, count in
            guard let library = OpenSSLLibrary.inUse, let source = unsafe source,
                count > 0,
                let session = unsafe OpenSSLPipe.session(of: pipe, library)
            else { return -1 }
            // OpenSSL provides `count` bytes, which are valid during this call.
            unsafe session.putOutgoing(UnsafeRawBufferPointer(start: source, count: Int(count)))
            return count
        }
        _ = unsafe library.bioMethSetCtrl(method) { _, command, _, _ in
            command == OpenSSL.BIO_CTRL_FLUSH ? 1 : 0
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
