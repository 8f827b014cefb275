import Foundation
import Swiftlet
import SwiftletJSONRPC
import SwiftletStyles
import Testing

/// Names that Foundation has as well.
@Suite("Names")
struct NameTests {
    @Test("that Foundation also has can be qualified with the name of the module")
    func qualified() {
        let operations: [SwiftletStyles.Operation] = [.sendClose()]
        let host: SwiftletJSONRPC.Host = HostCache().host(at: "127.0.0.1:1")
        #expect(operations.count == 1)
        #expect(host === host)
    }
}
