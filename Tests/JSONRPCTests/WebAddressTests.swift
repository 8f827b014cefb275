import Swiftlet
import Testing

@testable import SwiftletJSONRPC

@Suite("The URL of a request")
struct WebAddressTests {
    @Test(
        "is shown in errors without its password",
        arguments: ["http://u:hunter2@a/", "https://u:hun/ter2@a", "http://u:hunter2@a:x/"])
    func password(url: String) {
        let error = #expect(throws: RPCError.self) { try WebAddress(url) }
        #expect(error?.message.contains("hun") == false, "\(error as Any)")
    }

    @Test("of another server comes without the headers that the program names as secret")
    func secrets() {
        Metadata.hideValues(of: "X-Only-Elsewhere")
        var options = CallOptions()
        options.metadata = ["x-only-elsewhere": "hunter2", "x-open": "o"]
        #expect(options.withoutCredentials.metadata == ["x-open": "o"])
    }
}
