import Foundation
import Swiftlet
import Testing

/// Names that Foundation has as well.
@Suite("Names")
struct NameTests {
    @Test("are told apart by that of the module")
    func qualified() {
        let operations: [Swiftlet.Operation] = [.sendClose()]
        let host: Swiftlet.Host = HostCache().host(at: "127.0.0.1:1")
        #expect(operations.count == 1)
        #expect(host === host)
    }
}
