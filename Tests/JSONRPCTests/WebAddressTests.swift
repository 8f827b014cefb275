import Swiftlet
import SwiftletJSONRPC
import Testing

@Suite("The URL of a request")
struct WebAddressTests {
    @Test(
        "is shown in errors without its password",
        arguments: ["http://u:hunter2@a/", "https://u:hun/ter2@a", "http://u:hunter2@a:x/"])
    func password(url: String) {
        let error = #expect(throws: RPCError.self) { try WebAddress(url) }
        #expect(error?.message.contains("hun") == false, "\(error as Any)")
    }
}
