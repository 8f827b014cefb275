import SwiftletMessages
import Testing

@Test("A wire error is a value that can be compared")
func wireErrorIsHashable() {
    #expect(WireError.truncated == WireError.truncated)
}
