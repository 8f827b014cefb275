/// The functions of OpenSSL (version 3 or 1.1) that this module uses. They are looked up at run time.
///
/// A program need not link to OpenSSL, and starts without it. Only a program that uses TLS needs it. The
/// properties have the C names in Swift's spelling.
///
/// It is safe to share: the table does not change after `init`, and OpenSSL does its own locking. Each caller
/// states why the pointers that it passes are valid.
@safe
package final class OpenSSLLibrary: @unchecked Sendable {
    typealias VerifyCallback = @convention(c) (CInt, OpaquePointer?) -> CInt
    typealias SelectProtocolCallback =
        @convention(c) (
            OpaquePointer?, UnsafeMutablePointer<UnsafePointer<UInt8>?>?,
            UnsafeMutablePointer<UInt8>?, UnsafePointer<UInt8>?, CUnsignedInt,
            UnsafeMutableRawPointer?
        ) -> CInt
    typealias ClientCertificateCallback =
        @convention(c) (
            OpaquePointer?, UnsafeMutablePointer<OpaquePointer?>?,
            UnsafeMutablePointer<OpaquePointer?>?
        ) -> CInt
    typealias NewTicketCallback = @convention(c) (OpaquePointer?, OpaquePointer?) -> CInt
    typealias KeyLogCallback = @convention(c) (OpaquePointer?, UnsafePointer<CChar>?) -> Void
    typealias PasswordCallback =
        @convention(c) (
            UnsafeMutablePointer<CChar>?, CInt, CInt, UnsafeMutableRawPointer?
        ) -> CInt
    typealias BIOReadCallback =
        @convention(c) (OpaquePointer?, UnsafeMutablePointer<CChar>?, CInt) -> CInt
    typealias BIOWriteCallback =
        @convention(c) (OpaquePointer?, UnsafePointer<CChar>?, CInt) -> CInt
    typealias BIOControlCallback =
        @convention(c) (OpaquePointer?, CInt, CLong, UnsafeMutableRawPointer?) -> CLong

    /// The version and the place, for people: "OpenSSL 3.0.19 27 Jan 2026, of /usr/lib/libssl.so.3".
    package let name: String
    /// Version 3 or later, which packs its error codes differently.
    let isVersion3: Bool

    // Contexts
    let tlsClientMethod: @convention(c) () -> OpaquePointer?
    let tlsServerMethod: @convention(c) () -> OpaquePointer?
    let sslCtxNew: @convention(c) (OpaquePointer?) -> OpaquePointer?
    let sslCtxFree: @convention(c) (OpaquePointer?) -> Void
    let sslCtxCtrl: @convention(c) (OpaquePointer?, CInt, CLong, UnsafeMutableRawPointer?) -> CLong
    /// 64 bits since version 3. In 1.1 a long, which has 64 bits on the supported systems.
    let sslCtxSetOptions: @convention(c) (OpaquePointer?, UInt64) -> UInt64
    let sslCtxSetCipherList: @convention(c) (OpaquePointer?, UnsafePointer<CChar>?) -> CInt
    let sslCtxSetVerify: @convention(c) (OpaquePointer?, CInt, VerifyCallback?) -> Void
    let sslCtxSetDefaultVerifyPaths: @convention(c) (OpaquePointer?) -> CInt
    let sslCtxGetCertStore: @convention(c) (OpaquePointer?) -> OpaquePointer?
    let sslCtxUseCertificate: @convention(c) (OpaquePointer?, OpaquePointer?) -> CInt
    let sslCtxUsePrivateKey: @convention(c) (OpaquePointer?, OpaquePointer?) -> CInt
    let sslCtxCheckPrivateKey: @convention(c) (OpaquePointer?) -> CInt
    let sslCtxSetAlpnProtos:
        @convention(c) (OpaquePointer?, UnsafePointer<UInt8>?, CUnsignedInt) -> CInt
    let sslCtxSetAlpnSelectCb:
        @convention(c) (OpaquePointer?, SelectProtocolCallback?, UnsafeMutableRawPointer?) -> Void
    let sslCtxSetClientCertCb: @convention(c) (OpaquePointer?, ClientCertificateCallback?) -> Void
    let sslCtxSessSetNewCb: @convention(c) (OpaquePointer?, NewTicketCallback?) -> Void
    let sslCtxSetKeylogCallback: @convention(c) (OpaquePointer?, KeyLogCallback?) -> Void
    let sslCtxSetSessionIdContext:
        @convention(c) (OpaquePointer?, UnsafePointer<UInt8>?, CUnsignedInt) -> CInt

    // Sessions
    let sslNew: @convention(c) (OpaquePointer?) -> OpaquePointer?
    let sslFree: @convention(c) (OpaquePointer?) -> Void
    let sslSetBio: @convention(c) (OpaquePointer?, OpaquePointer?, OpaquePointer?) -> Void
    let sslSetConnectState: @convention(c) (OpaquePointer?) -> Void
    let sslSetAcceptState: @convention(c) (OpaquePointer?) -> Void
    let sslDoHandshake: @convention(c) (OpaquePointer?) -> CInt
    let sslRead: @convention(c) (OpaquePointer?, UnsafeMutableRawPointer?, CInt) -> CInt
    let sslWrite: @convention(c) (OpaquePointer?, UnsafeRawPointer?, CInt) -> CInt
    let sslKeyUpdate: @convention(c) (OpaquePointer?, CInt) -> CInt
    let sslSetShutdown: @convention(c) (OpaquePointer?, CInt) -> Void
    let sslShutdown: @convention(c) (OpaquePointer?) -> CInt
    let sslGetError: @convention(c) (OpaquePointer?, CInt) -> CInt
    let sslCtrl: @convention(c) (OpaquePointer?, CInt, CLong, UnsafeMutableRawPointer?) -> CLong
    let sslGet0Param: @convention(c) (OpaquePointer?) -> OpaquePointer?
    let sslGetVerifyResult: @convention(c) (OpaquePointer?) -> CLong
    let sslSetAlpnProtos:
        @convention(c) (OpaquePointer?, UnsafePointer<UInt8>?, CUnsignedInt) -> CInt
    let sslGet0AlpnSelected:
        @convention(c) (
            OpaquePointer?, UnsafeMutablePointer<UnsafePointer<UInt8>?>,
            UnsafeMutablePointer<CUnsignedInt>
        ) -> Void
    let sslGetVersion: @convention(c) (OpaquePointer?) -> UnsafePointer<CChar>?
    let sslGetPeerCertChain: @convention(c) (OpaquePointer?) -> OpaquePointer?
    let sslGet0VerifiedChain: @convention(c) (OpaquePointer?) -> OpaquePointer?
    let sslGet1PeerCertificate: @convention(c) (OpaquePointer?) -> OpaquePointer?
    let sslSessionReused: @convention(c) (OpaquePointer?) -> CInt
    let sslSetSession: @convention(c) (OpaquePointer?, OpaquePointer?) -> CInt
    let sslSessionFree: @convention(c) (OpaquePointer?) -> Void
    let sslSessionGetProtocolVersion: @convention(c) (OpaquePointer?) -> CInt
    let sslSetExData: @convention(c) (OpaquePointer?, CInt, UnsafeMutableRawPointer?) -> CInt
    let sslGetExData: @convention(c) (OpaquePointer?, CInt) -> UnsafeMutableRawPointer?
    let sslGetExDataX509StoreCtxIdx: @convention(c) () -> CInt

    // Certificates
    let x509VerifyParamSet1Host: @convention(c) (OpaquePointer?, UnsafePointer<CChar>?, Int) -> CInt
    let x509VerifyParamSet1IpAsc: @convention(c) (OpaquePointer?, UnsafePointer<CChar>?) -> CInt
    let x509VerifyParamSetHostflags: @convention(c) (OpaquePointer?, CUnsignedInt) -> Void
    let x509CheckHost:
        @convention(c) (
            OpaquePointer?, UnsafePointer<CChar>?, Int, CUnsignedInt,
            UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
        ) -> CInt
    let x509CheckIpAsc: @convention(c) (OpaquePointer?, UnsafePointer<CChar>?, CUnsignedInt) -> CInt
    let x509StoreAddCert: @convention(c) (OpaquePointer?, OpaquePointer?) -> CInt
    let x509StoreCtxGetExData: @convention(c) (OpaquePointer?, CInt) -> UnsafeMutableRawPointer?
    let x509StoreCtxGetError: @convention(c) (OpaquePointer?) -> CInt
    let x509StoreCtxGetCurrentCert: @convention(c) (OpaquePointer?) -> OpaquePointer?
    let x509VerifyCertErrorString: @convention(c) (CLong) -> UnsafePointer<CChar>?
    let x509Free: @convention(c) (OpaquePointer?) -> Void
    let x509GetIssuerName: @convention(c) (OpaquePointer?) -> OpaquePointer?
    let x509NameGetTextByNid:
        @convention(c) (OpaquePointer?, CInt, UnsafeMutablePointer<CChar>?, CInt) -> CInt
    let x509GetExtD2i:
        @convention(c) (
            OpaquePointer?, CInt, UnsafeMutableRawPointer?, UnsafeMutableRawPointer?
        ) -> OpaquePointer?
    let i2dX509:
        @convention(c) (OpaquePointer?, UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?) -> CInt
    let x509GetX509Pubkey: @convention(c) (OpaquePointer?) -> OpaquePointer?
    let i2dX509Pubkey:
        @convention(c) (OpaquePointer?, UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?) -> CInt
    let sha256:
        @convention(c) (UnsafePointer<UInt8>?, Int, UnsafeMutablePointer<UInt8>?) ->
            UnsafeMutablePointer<UInt8>?
    let generalNameGet0Value:
        @convention(c) (OpaquePointer?, UnsafeMutablePointer<CInt>?) -> OpaquePointer?
    let generalNamesFree: @convention(c) (OpaquePointer?) -> Void
    let opensslSkNum: @convention(c) (OpaquePointer?) -> CInt
    let opensslSkValue: @convention(c) (OpaquePointer?, CInt) -> OpaquePointer?
    let asn1StringGet0Data: @convention(c) (OpaquePointer?) -> UnsafePointer<UInt8>?
    let asn1StringLength: @convention(c) (OpaquePointer?) -> CInt
    let pemReadBioX509:
        @convention(c) (
            OpaquePointer?, UnsafeMutableRawPointer?, PasswordCallback?, UnsafeMutableRawPointer?
        ) -> OpaquePointer?
    let pemReadBioPrivateKey:
        @convention(c) (
            OpaquePointer?, UnsafeMutableRawPointer?, PasswordCallback?, UnsafeMutableRawPointer?
        ) -> OpaquePointer?
    let evpPkeyFree: @convention(c) (OpaquePointer?) -> Void

    // Input, output and errors
    let bioSMem: @convention(c) () -> OpaquePointer?
    let bioWrite: @convention(c) (OpaquePointer?, UnsafeRawPointer?, CInt) -> CInt
    let bioNewFile: @convention(c) (UnsafePointer<CChar>?, UnsafePointer<CChar>?) -> OpaquePointer?
    let bioFree: @convention(c) (OpaquePointer?) -> CInt
    let bioGetNewIndex: @convention(c) () -> CInt
    let bioMethNew: @convention(c) (CInt, UnsafePointer<CChar>?) -> OpaquePointer?
    let bioMethSetRead: @convention(c) (OpaquePointer?, BIOReadCallback?) -> CInt
    let bioMethSetWrite: @convention(c) (OpaquePointer?, BIOWriteCallback?) -> CInt
    let bioMethSetCtrl: @convention(c) (OpaquePointer?, BIOControlCallback?) -> CInt
    let bioNew: @convention(c) (OpaquePointer?) -> OpaquePointer?
    let bioSetData: @convention(c) (OpaquePointer?, UnsafeMutableRawPointer?) -> Void
    let bioGetData: @convention(c) (OpaquePointer?) -> UnsafeMutableRawPointer?
    let bioSetInit: @convention(c) (OpaquePointer?, CInt) -> Void
    let bioSetFlags: @convention(c) (OpaquePointer?, CInt) -> Void
    let bioClearFlags: @convention(c) (OpaquePointer?, CInt) -> Void
    let errGetError: @convention(c) () -> CUnsignedLong
    let errClearError: @convention(c) () -> Void
    let errReasonErrorString: @convention(c) (CUnsignedLong) -> UnsafePointer<CChar>?

    /// Looks the functions up, and starts OpenSSL. Throws if a function is missing, or the version is not
    /// supported.
    ///
    /// - Parameters:
    ///   - place: Where the functions are, for errors: "in the program", "of /usr/lib/libssl.so.3".
    ///   - symbols: The functions.
    init(_ place: String, _ symbols: OpenSSLSymbols) throws(TLSError) {
        var symbols = symbols
        let version = OpenSSLVersion(symbols)
        guard let version, version.isSupported else {
            throw TLSError(
                .libraryMissing,
                "\(version?.text ?? "an unknown library") \(place) cannot be used: TLS needs OpenSSL 1.1.1 or later"
            )
        }
        name = "\(version.text), \(place)"
        isVersion3 = version.isVersion3

        /// The function with a name, or with its older one. The type is that of OpenSSL's manual: the compiler
        /// cannot check it. One that is missing is noted, and the end of `init` throws: an exit at each of
        /// the hundred lines would cost a second of compiling and 60 KB.
        @inline(__always)
        func find<Function>(_ name: String, _ older: String? = nil) -> Function {
            unsafe unsafeBitCast(symbols.find(name, older), to: Function.self)
        }

        // This call must be the first one. Otherwise OpenSSL frees its state when the program exits, while
        // another thread may be in a handshake.
        let start: @convention(c) (UInt64, OpaquePointer?) -> CInt = unsafe find("OPENSSL_init_ssl")
        if symbols.missing == nil { _ = start(OpenSSL.OPENSSL_INIT_NO_ATEXIT, nil) }

        unsafe tlsClientMethod = find("TLS_client_method")
        unsafe tlsServerMethod = find("TLS_server_method")
        unsafe sslCtxNew = find("SSL_CTX_new")
        unsafe sslCtxFree = find("SSL_CTX_free")
        unsafe sslCtxCtrl = find("SSL_CTX_ctrl")
        unsafe sslCtxSetOptions = find("SSL_CTX_set_options")
        unsafe sslCtxSetCipherList = find("SSL_CTX_set_cipher_list")
        unsafe sslCtxSetVerify = find("SSL_CTX_set_verify")
        unsafe sslCtxSetDefaultVerifyPaths = find("SSL_CTX_set_default_verify_paths")
        unsafe sslCtxGetCertStore = find("SSL_CTX_get_cert_store")
        unsafe sslCtxUseCertificate = find("SSL_CTX_use_certificate")
        unsafe sslCtxUsePrivateKey = find("SSL_CTX_use_PrivateKey")
        unsafe sslCtxCheckPrivateKey = find("SSL_CTX_check_private_key")
        unsafe sslCtxSetAlpnProtos = find("SSL_CTX_set_alpn_protos")
        unsafe sslCtxSetAlpnSelectCb = find("SSL_CTX_set_alpn_select_cb")
        unsafe sslCtxSetClientCertCb = find("SSL_CTX_set_client_cert_cb")
        unsafe sslCtxSessSetNewCb = find("SSL_CTX_sess_set_new_cb")
        unsafe sslCtxSetKeylogCallback = find("SSL_CTX_set_keylog_callback")
        unsafe sslCtxSetSessionIdContext = find("SSL_CTX_set_session_id_context")
        unsafe sslNew = find("SSL_new")
        unsafe sslFree = find("SSL_free")
        unsafe sslSetBio = find("SSL_set_bio")
        unsafe sslSetConnectState = find("SSL_set_connect_state")
        unsafe sslSetAcceptState = find("SSL_set_accept_state")
        unsafe sslDoHandshake = find("SSL_do_handshake")
        unsafe sslRead = find("SSL_read")
        unsafe sslWrite = find("SSL_write")
        unsafe sslKeyUpdate = find("SSL_key_update")
        unsafe sslSetShutdown = find("SSL_set_shutdown")
        unsafe sslShutdown = find("SSL_shutdown")
        unsafe sslGetError = find("SSL_get_error")
        unsafe sslCtrl = find("SSL_ctrl")
        unsafe sslGet0Param = find("SSL_get0_param")
        unsafe sslGetVerifyResult = find("SSL_get_verify_result")
        unsafe sslSetAlpnProtos = find("SSL_set_alpn_protos")
        unsafe sslGet0AlpnSelected = find("SSL_get0_alpn_selected")
        unsafe sslGetVersion = find("SSL_get_version")
        unsafe sslGetPeerCertChain = find("SSL_get_peer_cert_chain")
        unsafe sslGet0VerifiedChain = find("SSL_get0_verified_chain")
        // Renamed in version 3, because it returns a reference that the caller frees.
        unsafe sslGet1PeerCertificate = find(
            "SSL_get1_peer_certificate", "SSL_get_peer_certificate")
        unsafe sslSessionReused = find("SSL_session_reused")
        unsafe sslSetSession = find("SSL_set_session")
        unsafe sslSessionFree = find("SSL_SESSION_free")
        unsafe sslSessionGetProtocolVersion = find("SSL_SESSION_get_protocol_version")
        unsafe sslSetExData = find("SSL_set_ex_data")
        unsafe sslGetExData = find("SSL_get_ex_data")
        sslGetExDataX509StoreCtxIdx = find("SSL_get_ex_data_X509_STORE_CTX_idx")
        unsafe x509VerifyParamSet1Host = find("X509_VERIFY_PARAM_set1_host")
        unsafe x509VerifyParamSet1IpAsc = find("X509_VERIFY_PARAM_set1_ip_asc")
        unsafe x509VerifyParamSetHostflags = find("X509_VERIFY_PARAM_set_hostflags")
        unsafe x509CheckHost = find("X509_check_host")
        unsafe x509CheckIpAsc = find("X509_check_ip_asc")
        unsafe x509StoreAddCert = find("X509_STORE_add_cert")
        unsafe x509StoreCtxGetExData = find("X509_STORE_CTX_get_ex_data")
        unsafe x509StoreCtxGetError = find("X509_STORE_CTX_get_error")
        unsafe x509StoreCtxGetCurrentCert = find("X509_STORE_CTX_get_current_cert")
        unsafe x509VerifyCertErrorString = find("X509_verify_cert_error_string")
        unsafe x509Free = find("X509_free")
        unsafe x509GetIssuerName = find("X509_get_issuer_name")
        unsafe x509NameGetTextByNid = find("X509_NAME_get_text_by_NID")
        unsafe x509GetExtD2i = find("X509_get_ext_d2i")
        unsafe i2dX509 = find("i2d_X509")
        unsafe x509GetX509Pubkey = find("X509_get_X509_PUBKEY")
        unsafe i2dX509Pubkey = find("i2d_X509_PUBKEY")
        unsafe sha256 = find("SHA256")
        unsafe generalNameGet0Value = find("GENERAL_NAME_get0_value")
        unsafe generalNamesFree = find("GENERAL_NAMES_free")
        unsafe opensslSkNum = find("OPENSSL_sk_num")
        unsafe opensslSkValue = find("OPENSSL_sk_value")
        unsafe asn1StringGet0Data = find("ASN1_STRING_get0_data")
        unsafe asn1StringLength = find("ASN1_STRING_length")
        unsafe pemReadBioX509 = find("PEM_read_bio_X509")
        unsafe pemReadBioPrivateKey = find("PEM_read_bio_PrivateKey")
        unsafe evpPkeyFree = find("EVP_PKEY_free")
        unsafe bioSMem = find("BIO_s_mem")
        unsafe bioWrite = find("BIO_write")
        unsafe bioNewFile = find("BIO_new_file")
        unsafe bioFree = find("BIO_free")
        bioGetNewIndex = find("BIO_get_new_index")
        unsafe bioMethNew = find("BIO_meth_new")
        unsafe bioMethSetRead = find("BIO_meth_set_read")
        unsafe bioMethSetWrite = find("BIO_meth_set_write")
        unsafe bioMethSetCtrl = find("BIO_meth_set_ctrl")
        unsafe bioNew = find("BIO_new")
        unsafe bioSetData = find("BIO_set_data")
        unsafe bioGetData = find("BIO_get_data")
        unsafe bioSetInit = find("BIO_set_init")
        unsafe bioSetFlags = find("BIO_set_flags")
        unsafe bioClearFlags = find("BIO_clear_flags")
        errGetError = find("ERR_get_error")
        errClearError = find("ERR_clear_error")
        unsafe errReasonErrorString = find("ERR_reason_error_string")

        if let missing = symbols.missing {
            throw TLSError(
                .libraryMissing, "\(version.text) \(place) cannot be used: it has no \(missing)")
        }
    }
}
