import SwiftletTransport
import Synchronization

/// Makes the channels of hosts whose address is a URL, or whose settings name a version of HTTP. A client alone
/// speaks HTTP/2 with addresses.
package enum WebChannels {
    package typealias Factory =
        @Sendable (_ address: String, Host.Settings) throws(RPCError) -> Channel

    private static let registered = Mutex<Factory?>(nil)

    package static func register(_ factory: @escaping Factory) {
        registered.withLock { $0 = factory }
    }

    static func channel(
        to address: String, _ settings: Host.Settings
    ) throws(RPCError) -> Channel {
        guard let factory = registered.withLock({ $0 }) else {
            throw .refused(
                .invalidArgument,
                """
                the client alone makes no channel to '\(address.withoutLogin)': add \
                'import SwiftletJSONRPC', and call 'PlainHTTP.register()' when the program starts
                """)
        }
        return try factory(address, settings)
    }
}
