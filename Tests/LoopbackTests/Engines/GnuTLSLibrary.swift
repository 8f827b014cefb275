import Foundation

/// The functions of GnuTLS that the engine of the tests uses. They are looked up at run time. The properties have
/// the C names without their prefix.
///
/// It is safe to share: the table does not change, and GnuTLS does its own locking.
@safe
final class GnuTLSLibrary: @unchecked Sendable {
    /// `gnutls_datum_t`: a pointer and a count, which Swift lays out as C does.
    @safe
    struct Datum {
        var data: UnsafeMutablePointer<UInt8>?
        var byteCount: CUnsignedInt = 0

        init() { unsafe data = nil }
        init(_ data: UnsafeMutablePointer<UInt8>?, _ byteCount: Int) {
            unsafe self.data = unsafe data
            self.byteCount = CUnsignedInt(byteCount)
        }

        /// A copy. The memory is that of the session, or of the caller.
        var bytes: [UInt8] { unsafe Array(UnsafeBufferPointer(start: data, count: Int(byteCount))) }
    }

    typealias Object = OpaquePointer?
    typealias Pull = @convention(c) (UnsafeMutableRawPointer?, UnsafeMutableRawPointer?, Int) -> Int
    typealias Push = @convention(c) (UnsafeMutableRawPointer?, UnsafeRawPointer?, Int) -> Int
    typealias PullTimeout = @convention(c) (UnsafeMutableRawPointer?, CUnsignedInt) -> CInt

    static let shared = GnuTLSLibrary()

    let allocateCredentials: @convention(c) (UnsafeMutablePointer<Object>) -> CInt
    let freeCredentials: @convention(c) (Object) -> Void
    let setTrust: @convention(c) (Object, UnsafeRawPointer, CInt) -> CInt
    let setSystemTrust: @convention(c) (Object) -> CInt
    let setKey: @convention(c) (Object, UnsafeRawPointer, UnsafeRawPointer, CInt) -> CInt
    let `init`: @convention(c) (UnsafeMutablePointer<Object>, CUnsignedInt) -> CInt
    let `deinit`: @convention(c) (Object) -> Void
    let setPriority: @convention(c) (Object, UnsafePointer<CChar>, UnsafeMutableRawPointer?) -> CInt
    let setCredentials: @convention(c) (Object, CInt, Object) -> CInt
    let setServerName: @convention(c) (Object, CInt, UnsafePointer<CChar>, Int) -> CInt
    let setVerification: @convention(c) (Object, UnsafePointer<CChar>?, CUnsignedInt) -> Void
    let verificationStatus: @convention(c) (Object) -> CUnsignedInt
    let printStatus:
        @convention(c) (CUnsignedInt, CInt, UnsafeMutableRawPointer, CUnsignedInt) -> CInt
    let verifyPeers:
        @convention(c) (Object, UnsafePointer<CChar>?, UnsafeMutablePointer<CUnsignedInt>) -> CInt
    let peers: @convention(c) (Object, UnsafeMutablePointer<CUnsignedInt>) -> UnsafeRawPointer?
    let setProtocols: @convention(c) (Object, UnsafeRawPointer, CUnsignedInt, CUnsignedInt) -> CInt
    let selectedProtocol: @convention(c) (Object, UnsafeMutableRawPointer) -> CInt
    let setPointer: @convention(c) (Object, UnsafeMutableRawPointer?) -> Void
    let setPull: @convention(c) (Object, Pull) -> Void
    let setPush: @convention(c) (Object, Push) -> Void
    let setPullTimeout: @convention(c) (Object, PullTimeout) -> Void
    let setErrno: @convention(c) (Object, CInt) -> Void
    let handshake: @convention(c) (Object) -> CInt
    let receive: @convention(c) (Object, UnsafeMutableRawPointer?, Int) -> Int
    let send: @convention(c) (Object, UnsafeRawPointer?, Int) -> Int
    let bye: @convention(c) (Object, CInt) -> CInt
    let sendAlert: @convention(c) (Object, CInt) -> CInt
    let alert: @convention(c) (Object) -> CInt
    let alertName: @convention(c) (CInt) -> UnsafePointer<CChar>?
    let strerror: @convention(c) (CInt) -> UnsafePointer<CChar>?
    let ticket: @convention(c) (Object, UnsafeMutableRawPointer) -> CInt
    let setTicket: @convention(c) (Object, UnsafeRawPointer?, Int) -> CInt
    let isResumed: @convention(c) (Object) -> CInt

    private init?() {
        guard let handle = unsafe dlopen("libgnutls.so.30", RTLD_NOW) else { return nil }
        /// The types are those of GnuTLS's manual.
        func find<Function>(_ name: String) -> Function {
            unsafe unsafeBitCast(dlsym(handle, "gnutls_" + name), to: Function.self)
        }
        unsafe allocateCredentials = find("certificate_allocate_credentials")
        unsafe freeCredentials = find("certificate_free_credentials")
        unsafe setTrust = find("certificate_set_x509_trust_mem")
        unsafe setSystemTrust = find("certificate_set_x509_system_trust")
        unsafe setKey = find("certificate_set_x509_key_mem")
        unsafe `init` = find("init")
        unsafe `deinit` = find("deinit")
        unsafe setPriority = find("priority_set_direct")
        unsafe setCredentials = find("credentials_set")
        unsafe setServerName = find("server_name_set")
        unsafe setVerification = find("session_set_verify_cert")
        unsafe verificationStatus = find("session_get_verify_cert_status")
        unsafe printStatus = find("certificate_verification_status_print")
        unsafe verifyPeers = find("certificate_verify_peers3")
        unsafe peers = find("certificate_get_peers")
        unsafe setProtocols = find("alpn_set_protocols")
        unsafe selectedProtocol = find("alpn_get_selected_protocol")
        unsafe setPointer = find("transport_set_ptr")
        unsafe setPull = find("transport_set_pull_function")
        unsafe setPush = find("transport_set_push_function")
        unsafe setPullTimeout = find("transport_set_pull_timeout_function")
        unsafe setErrno = find("transport_set_errno")
        unsafe handshake = find("handshake")
        unsafe receive = find("record_recv")
        unsafe send = find("record_send")
        unsafe bye = find("bye")
        unsafe sendAlert = find("alert_send_appropriate")
        unsafe alert = find("alert_get")
        unsafe alertName = find("alert_get_name")
        unsafe strerror = find("strerror")
        unsafe ticket = find("session_get_data2")
        unsafe setTicket = find("session_set_data")
        unsafe isResumed = find("session_is_resumed")
    }
}
