/// Secures connections without TLS, in the program's own way.
///
/// ```swift
/// let channel = try Channel("localhost:50051", credentials: .own(MySecurity()))
/// ```
public protocol ChannelSecurity: Sendable {
    /// Makes the session of a new connection.
    func makeSession(_ context: SecurityContext) throws -> any SecuritySession
}

/// The connection that a ``ChannelSecurity`` makes a session for.
public struct SecurityContext: Hashable, Sendable {
    /// The end of the connection that the session handles.
    @nonexhaustive
    public enum Side: Hashable, Sendable {
        /// The end that connects. The server must prove that it is `host`.
        case client(host: String)
        /// The end that accepts.
        case server
    }

    /// The end of the connection that the session handles.
    public let side: Side
    /// The protocols that a client offers, and that a server accepts, in order of preference (ALPN); `h2`
    /// by default. A session that cannot negotiate ignores them.
    public let applicationProtocols: [String]

    /// For tests of a ``ChannelSecurity``. In a program, the library makes the contexts.
    public init(_ side: Side, applicationProtocols: [String] = ["h2"]) {
        self.side = side
        self.applicationProtocols = applicationProtocols
    }
}

/// One end of a secured connection, without I/O: the channel sends and receives the bytes. Used by
/// one thread at a time.
///
/// During a call of a method, the channel holds a lock of the connection. So a method must not use the
/// channel, and must not block.
///
/// A method appends the bytes that the channel must send to `output`, which is empty at the beginning. If a
/// method throws an error, the channel sends these bytes, such as an alert, and the connection ends. The
/// description of the error becomes a cause of the calls' errors. After an error, the session is not used any
/// more.
public protocol SecuritySession: AnyObject, Sendable {
    /// Continues the handshake. The first call has no bytes. Later calls have the bytes that the
    /// peer sent, in pieces of any size, and those that the session left in `received` before.
    ///
    /// A handshake that takes longer than `ChannelArguments.connectTimeout`, or needs more than 256 KiB
    /// in one direction, fails.
    ///
    /// - Returns: Whether the handshake is complete. Bytes that are then left in `received` belong to the
    ///   peer's first message.
    func handshake(_ received: inout [UInt8], sending output: inout [UInt8]) throws -> Bool

    /// Decrypts bytes that the peer sent, and appends their content to `plaintext`, which is empty at the
    /// beginning. The session keeps an incomplete part at the end. The first call after the handshake may
    /// have no bytes.
    func open(
        _ received: [UInt8], into plaintext: inout [UInt8], sending output: inout [UInt8]) throws

    /// Encrypts all of `plaintext` for the peer. An engine of TLS never makes fewer bytes of it; the connection
    /// fails if it does.
    func seal(_ plaintext: [UInt8], sending output: inout [UInt8]) throws

    /// Sends what announces the end of the connection to the peer, if there is anything.
    func close(sending output: inout [UInt8])

    /// The protocol that the handshake has chosen (ALPN); nil, the default, if it has chosen none.
    var applicationProtocol: String? { get }

    /// The peer's certificates in DER, its own certificate first: the verified chain, or what the peer sent
    /// if certificates are not verified. Empty, the default, if there are none.
    var peerCertificates: [[UInt8]] { get }

    /// Whether the peer has announced the end of the connection (close_notify in TLS). The default is false.
    var isEnded: Bool { get }

    /// Whether the peer has proved that it is `host`, a name or an address other than that of the context: a
    /// call may be addressed to another host. The default is false.
    func isPeer(_ host: String) -> Bool
}

extension SecuritySession {
    public var applicationProtocol: String? { nil }
    public var peerCertificates: [[UInt8]] { [] }
    public var isEnded: Bool { false }
    public func isPeer(_ host: String) -> Bool { false }
}
