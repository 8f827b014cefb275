package import SwiftletTransport

/// A version of HTTP that the connections of a channel speak beside HTTP/2, or instead of it.
package struct OtherVersion: Sendable {
    /// Makes a link of a wire whose TLS handshake, if there is one, is complete.
    package typealias MakeLink =
        @Sendable (consuming LinkWire, SocketAddress, ConnectionTimes, EventLoop, ChannelArguments)
        -> any SubchannelLink

    /// The name of the version in TLS (ALPN).
    let name: String
    /// Whether HTTP/2 is never spoken.
    let isOnly: Bool
    let makeLink: MakeLink

    package init(_ name: String, isOnly: Bool, makeLink: @escaping MakeLink) {
        self.name = name
        self.isOnly = isOnly
        self.makeLink = makeLink
    }
}

extension OtherVersion {
    /// The application protocols that are offered over TLS.
    var protocols: [String] { isOnly ? [name] : ["h2", name] }

    /// Whether the version is spoken on the wire: always, or unless the server has selected HTTP/2.
    func isChosen(by wire: borrowing LinkWire) -> Bool {
        isOnly || wire.withSession(\.negotiatedProtocol) != "h2"
    }
}

extension RPCError {
    /// The error of a gRPC call to a server that speaks another version.
    package static func needsHTTP2(_ server: String) -> RPCError {
        .refused(
            .failedPrecondition,
            "\(server) is reached by HTTP/1.1, and a call of gRPC needs HTTP/2")
    }
}
