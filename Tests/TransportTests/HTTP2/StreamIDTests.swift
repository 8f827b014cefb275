import Testing

@testable import SwiftletTransport

@Suite("A stream identifier")
struct StreamIDTests {
    @Test("ignores the reserved bit on the wire (RFC 9113 §4.1)")
    func reservedBit() {
        #expect(StreamID(wire: 0x8000_0005).rawValue == 5)
    }

    @Test("runs out at 2³¹−1 (RFC 9113 §5.1.1)")
    func exhaustion() {
        #expect(StreamID.firstRequest.successor == StreamID(wire: 3))
        #expect(StreamID(wire: 0x7fff_fffd).successor == StreamID.last)
        #expect(StreamID.last.successor == nil)
    }
}
