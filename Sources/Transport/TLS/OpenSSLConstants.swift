// The numbers of OpenSSL's headers, so that this module can be built without them. Each has the name of the
// header. They are the same in versions 1.1 and 3, unless a comment states otherwise.

/// Options, commands and flags of libssl and libcrypto.
enum OpenSSL {
    // SSL_CTX_ctrl, SSL_ctrl
    static let SSL_CTRL_MODE: CInt = 33
    static let SSL_CTRL_SET_SESS_CACHE_MODE: CInt = 44
    static let SSL_CTRL_SET_TLSEXT_HOSTNAME: CInt = 55
    static let SSL_CTRL_CLEAR_MODE: CInt = 78
    static let SSL_CTRL_CHAIN_CERT: CInt = 89
    static let SSL_CTRL_SET_MIN_PROTO_VERSION: CInt = 123
    static let SSL_CTRL_SET_MAX_PROTO_VERSION: CInt = 124

    static let SSL_MODE_AUTO_RETRY: CLong = 0x4
    static let SSL_MODE_NO_AUTO_CHAIN: CLong = 0x8
    static let SSL_MODE_RELEASE_BUFFERS: CLong = 0x10

    static let SSL_OP_NO_COMPRESSION: UInt64 = 1 << 17
    static let SSL_OP_NO_RENEGOTIATION: UInt64 = 1 << 30

    static let SSL_SESS_CACHE_OFF: CLong = 0x000
    static let SSL_SESS_CACHE_CLIENT: CLong = 0x001
    static let SSL_SESS_CACHE_NO_INTERNAL: CLong = 0x300

    static let SSL_VERIFY_PEER: CInt = 0x1
    static let SSL_VERIFY_FAIL_IF_NO_PEER_CERT: CInt = 0x2

    static let TLS1_2_VERSION: CLong = 0x0303
    static let TLS1_3_VERSION: CLong = 0x0304

    static let OPENSSL_INIT_NO_ATEXIT: UInt64 = 0x0008_0000
    /// `OpenSSL_version_num()` of versions 1.1.1 and 3.0.0.
    static let version111: CUnsignedLong = 0x1010_1000
    static let version3: CUnsignedLong = 0x3000_0000

    // Sessions
    static let SSL_ERROR_NONE: CInt = 0
    static let SSL_ERROR_WANT_READ: CInt = 2
    static let SSL_ERROR_ZERO_RETURN: CInt = 6
    static let SSL_SENT_SHUTDOWN: CInt = 0x1
    static let SSL_RECEIVED_SHUTDOWN: CInt = 0x2
    static let SSL_KEY_UPDATE_NOT_REQUESTED: CInt = 0
    static let SSL_TLSEXT_ERR_OK: CInt = 0
    static let SSL_TLSEXT_ERR_ALERT_FATAL: CInt = 2
    static let SSL_TLSEXT_ERR_NOACK: CInt = 3

    // Certificates
    static let X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS: CUnsignedInt = 0x4
    static let X509_CHECK_FLAG_NEVER_CHECK_SUBJECT: CUnsignedInt = 0x20
    static let NID_commonName: CInt = 13
    static let NID_subject_alt_name: CInt = 85
    static let GEN_EMAIL: CInt = 1
    static let GEN_DNS: CInt = 2
    static let GEN_URI: CInt = 6
    static let GEN_IPADD: CInt = 7

    static let X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT: CInt = 2
    static let X509_V_ERR_CERT_NOT_YET_VALID: CInt = 9
    static let X509_V_ERR_CERT_HAS_EXPIRED: CInt = 10
    static let X509_V_ERR_CRL_NOT_YET_VALID: CInt = 11
    static let X509_V_ERR_CRL_HAS_EXPIRED: CInt = 12
    static let X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT: CInt = 18
    static let X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN: CInt = 19
    static let X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY: CInt = 20
    static let X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE: CInt = 21
    static let X509_V_ERR_HOSTNAME_MISMATCH: CInt = 62
    static let X509_V_ERR_IP_ADDRESS_MISMATCH: CInt = 64

    // BIO
    static let BIO_TYPE_SOURCE_SINK: CInt = 0x0400
    static let BIO_FLAGS_READ: CInt = 0x01
    static let BIO_FLAGS_SHOULD_RETRY: CInt = 0x08
    static let BIO_CTRL_FLUSH: CInt = 11

    // The queue of errors
    /// From version 3 on, marks an error number of the operating system.
    static let ERR_SYSTEM_FLAG: CUnsignedLong = 1 << 31
    static let ERR_LIB_PEM: CUnsignedLong = 9
    static let ERR_LIB_SSL: CUnsignedLong = 20
    static let PEM_R_NO_START_LINE: CUnsignedLong = 108
    static let SSL_R_HTTPS_PROXY_REQUEST: CUnsignedLong = 155
    static let SSL_R_HTTP_REQUEST: CUnsignedLong = 156
    static let SSL_R_PACKET_LENGTH_TOO_LONG: CUnsignedLong = 198
    static let SSL_R_PEER_DID_NOT_RETURN_A_CERTIFICATE: CUnsignedLong = 199
    static let SSL_R_NO_APPLICATION_PROTOCOL: CUnsignedLong = 235
    static let SSL_R_WRONG_VERSION_NUMBER: CUnsignedLong = 267
    /// The code of a peer's alert is this number plus the number of the alert.
    static let SSL_AD_REASON_OFFSET: CUnsignedLong = 1000
}
