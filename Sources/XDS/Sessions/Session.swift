import SwiftletCore
import Synchronization

/// The session of one call (A55): which server its cookie names, and which cookie its answer has.
final class Session: Sendable {
    private let cookie: SessionCookie
    /// The server of the call's cookie.
    private let former: SessionServer
    /// The addresses of the call's cookie, the preferred one first.
    let wanted: [ByteText]
    /// Where the call is sent.
    private let cluster: ByteText
    /// The addresses of the server that was chosen last; empty for none.
    private let chosen = Mutex<ByteText>("")

    /// - Parameters:
    ///   - former: The server of the call's cookie.
    ///   - cluster: Where the call is sent.
    init(_ cookie: SessionCookie, _ former: SessionServer, in cluster: ByteText) {
        self.cookie = cookie
        self.former = former
        self.cluster = cluster
        wanted = former.addresses
    }

    /// A picker has chosen a server.
    ///
    /// - Parameter list: Its addresses, as cookies have them; empty if they are not known.
    func choose(_ list: ByteText) { chosen.withLock { $0 = list } }
}

extension Session: ResponseFilter {
    /// Adds a cookie unless that of the call names the same server.
    func responseBegins(with metadata: inout Metadata) {
        let server = SessionServer(list: chosen.withLock { $0 }, cluster: cluster)
        guard !server.list.isEmpty, server != former else { return }
        metadata.append(received: .text(cookie.header(for: server)), for: "set-cookie")
    }
}
