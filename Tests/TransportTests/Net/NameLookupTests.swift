import Testing

@testable import SwiftletTransport

@Suite("Name look-up")
struct SocketsNameLookupTests {
    @Test("finds localhost, each address once")
    func localhost() throws {
        let addresses = try NameLookup.addresses(of: "localhost", port: 80)
        #expect(
            addresses.contains(.ipv4Loopback(port: 80))
                || addresses.contains(.ipv6Loopback(port: 80)))
        #expect(Set(addresses).count == addresses.count)
    }

    @Test("returns a numeric address unchanged")
    func digits() throws {
        #expect(try NameLookup.addresses(of: "127.0.0.1", port: 1) == [.ipv4Loopback(port: 1)])
    }

    @Test(
        "names the name that has no address",
        arguments: ["", "a\0b", String(repeating: "x", count: 300), "no such name"])
    func failures(host: String) {
        let failure = #expect(throws: NameLookup.Failure.self) {
            try NameLookup.addresses(of: host, port: 1)
        }
        #expect(failure?.description.hasPrefix("look up \(host): ") == true)
    }
}
