import Foundation
import Swiftlet
import SwiftletFoundation
import SwiftletLoopback
import Testing

@Suite("A value of Foundation", .timeLimit(.minutes(5)))
struct ValueTests {
    @Test(
        "becomes a timestamp and a date again",
        arguments: [
            (0.0, Google.Protobuf.Timestamp(seconds: 0)),
            (1.5, Google.Protobuf.Timestamp(seconds: 1, nanos: 500_000_000)),
            (-0.25, Google.Protobuf.Timestamp(seconds: -1, nanos: 750_000_000)),
            (-62_135_596_800, Google.Protobuf.Timestamp(seconds: -62_135_596_800)),
            (253_402_300_799, Google.Protobuf.Timestamp(seconds: 253_402_300_799)),
        ] as [(Double, Google.Protobuf.Timestamp)])
    func dates(_ seconds: Double, _ timestamp: Google.Protobuf.Timestamp) {
        let date = Date(timeIntervalSince1970: seconds)
        #expect(Google.Protobuf.Timestamp(date) == timestamp)
        #expect(Date(timestamp) == date)
    }

    @Test("rounds up to the next second")
    func roundedDate() {
        let date = Date(timeIntervalSince1970: (1.0).nextDown)
        #expect(Google.Protobuf.Timestamp(date) == Google.Protobuf.Timestamp(seconds: 1))
    }

    @Test(
        "is no timestamp outside of the years 1 to 9999",
        arguments: [
            253_402_300_800, -62_135_596_801, 1e18, -1e18, 1e30, -1e30, .infinity, -.infinity, .nan,
        ])
    func noTimestamp(_ seconds: Double) {
        #expect(Google.Protobuf.Timestamp(Date(timeIntervalSince1970: seconds)) == nil)
    }

    @Test("is no date if the timestamp is not valid")
    func noDate() {
        #expect(Date(Google.Protobuf.Timestamp(seconds: 0, nanos: -1)) == nil)
        #expect(Date(Google.Protobuf.Timestamp(seconds: .max)) == nil)
    }

    @Test("is a duration in seconds")
    func durations() {
        #expect(TimeInterval(Duration.milliseconds(-1_500)) == -1.5)
        #expect(TimeInterval(Duration.zero) == 0)
    }

    @Test("is a deadline, whatever the date")
    func deadlines() throws {
        let soon = try #require(Deadline.at(Date.now.addingTimeInterval(1_000)).remaining)
        #expect(soon > .seconds(900) && soon <= .seconds(1_001))
        #expect(Deadline.at(.distantPast).remaining == .zero)
        for far in [Double.infinity, 1e300] {
            let date = Date(timeIntervalSinceReferenceDate: far)
            #expect(try #require(Deadline.at(date).remaining) > .seconds(3_000_000_000))
        }
        #expect(Deadline.at(Date(timeIntervalSinceReferenceDate: .nan)).remaining == .zero)
    }

    @Test("is the bytes of a message, and of metadata")
    func data() throws {
        let request = HelloRequest(name: "you")
        let data = request.encodedData()
        #expect(data == Data(request.encoded()))
        #expect(try HelloRequest(decoding: data) == request)
        #expect(throws: WireError.self) { try HelloRequest(decoding: Data([0xff])) }
        // A slice of data does not begin at zero.
        #expect(try HelloRequest(decoding: (Data([0]) + data).dropFirst()) == request)
        var metadata = Metadata()
        metadata.append(Data([1, 2]), for: "x-key-bin")
        #expect(metadata.data(for: "X-Key-Bin") == Data([1, 2]))
        #expect(metadata.data(for: "x-other-bin") == nil)
    }

    @Test("is a message itself")
    func dataMessages() async throws {
        let echo = Method<Data, Data>("/t.T/Echo", .unary, request: .data, reply: .data)
        let server = try LoopbackServer { $0.unary(echo) { request, _ in request } }
        let channel = try server.makeChannel()
        for data in [Data(), Data([1, 2, 3]), Data([9, 1, 2]).dropFirst()] {
            #expect(try await channel.unary(echo, data) == data)
        }
    }

    @Test("names a server")
    func urls() async throws {
        let server = try LoopbackServer { $0.addGreeter() }
        let url = try #require(URL(string: "http://\(server.target)"))
        let channel = try Channel(url)
        let sayHello = Method<HelloRequest, HelloReply>("/helloworld.Greeter/SayHello", .unary)
        #expect(
            try await channel.unary(sayHello, HelloRequest(name: "you")).message == "Hello you")
        for text in [
            "dns:///localhost:1", "http://[::1]", "http://[::1]:1/", "HTTP://Localhost/",
            "http://b\u{fc}cher.example", "http://unix:1", "http://dns",
            "http://[fe80::1%25lo]:1",
        ] {
            let other = try Channel(#require(URL(string: text)), credentials: .insecure)
            #expect(other.snapshot?.target.hasPrefix("dns:///") == true)
        }
    }

    @Test("names the interface of an IPv6 address")
    func zone() throws {
        let url = try #require(URL(string: "http://[fe80::1%251]:80"))
        #expect(try Channel(url).snapshot?.target == "dns:///[fe80::1%1]:80")
    }

    @Test(
        "is refused as a server",
        arguments: [
            ("http://localhost/path", "no path"), ("http://localhost?query", "no path"),
            ("http://localhost/#part", "no fragment"), ("http://localhost:99999", "port"),
            ("http://me:s3cret@localhost", "user name"), ("http://me@localhost", "user name"),
            ("https://me%FF@localhost", "user name"), ("http://", "is not a host"),
            ("http://[localhost]", "is not a host"), ("http://[127.0.0.1]:1", "is not a host"),
            ("http://local%68ost", "is not a host"), ("http:localhost", "behind its scheme"),
            ("dns:///localhost", "needs credentials"), ("localhost", "needs credentials"),
        ])
    func refusedURLs(_ text: String, _ reason: String) throws {
        let url = try #require(URL(string: text))
        let error = #expect(throws: RPCError.self) { try Channel(url) }
        #expect(error?.code == .invalidArgument)
        #expect(error?.message.contains(reason) == true, "\(error?.message ?? "")")
        #expect(error?.message.contains("s3cret") == false)
    }

    @Test("is refused as a server if the credentials do not fit its scheme")
    func misfit() throws {
        let url = try #require(URL(string: "https://localhost"))
        let error = #expect(throws: RPCError.self) { try Channel(url, credentials: .insecure) }
        #expect(error?.message.contains("do not fit") == true)
    }
}
