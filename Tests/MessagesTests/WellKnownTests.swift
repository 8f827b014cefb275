import SwiftletMessages
import SwiftletServices
import SwiftletWellKnown
import Testing

@Suite("The well-known types")
struct WellKnownTests {
    typealias Timestamp = Google.Protobuf.Timestamp
    typealias Span = Google.Protobuf.Duration

    @Test(
        "convert a duration to Swift's and back",
        arguments: [
            (Span(seconds: 1, nanos: 500_000_000), .milliseconds(1500)),
            (Span(seconds: -1, nanos: -500_000_000), .milliseconds(-1500)),
            (Span(seconds: 0, nanos: -1), .nanoseconds(-1)),
            (Span(), .zero),
        ] as [(Span, Duration)])
    func durations(message: Span, duration: Duration) {
        #expect(Span(duration) == message)
        #expect(Duration(message) == duration)
    }

    @Test(
        "refuse durations and times that the specification does not allow",
        arguments: [
            Span(seconds: 1, nanos: -1), Span(seconds: 0, nanos: 1_000_000_000),
            Span(seconds: 315_576_000_001), Span(seconds: .min, nanos: .min),
        ])
    func invalid(message: Span) {
        #expect(Duration(message) == nil)
        #expect(Timestamp(seconds: message.seconds &- 1, nanos: -1).durationSinceEpoch == nil)
    }

    @Test(
        "count the time before 1970 backward, and its nanoseconds forward",
        arguments: [
            (Duration.milliseconds(1500), 1, 500_000_000), (.milliseconds(-1500), -2, 500_000_000),
            (.nanoseconds(-1), -1, 999_999_999), (.seconds(-3), -3, 0), (.zero, 0, 0),
        ] as [(Duration, Int64, Int32)])
    func timestamps(duration: Duration, seconds: Int64, nanos: Int32) {
        let time = Timestamp(sinceEpoch: duration)
        #expect(time == Timestamp(seconds: seconds, nanos: nanos))
        #expect(time.durationSinceEpoch == duration)
    }

    @Test("store as many seconds as they can of a longer duration")
    func longest() {
        let (least, most) = (Duration(attoseconds: .min), Duration(attoseconds: .max))
        #expect(Span(least) == Span(seconds: .min) && Span(most) == Span(seconds: .max))
        #expect(Timestamp(sinceEpoch: least) == Timestamp(seconds: .min))
        #expect(Timestamp(sinceEpoch: most) == Timestamp(seconds: .max))
    }

    @Test(
        "round times finer than a nanosecond toward the past",
        arguments: [
            (-1, -1, 999_999_999), (1, 0, 0), (999_999_999, 0, 0),
            (-1_000_000_000, -1, 999_999_999),
            (-1_000_000_001, -1, 999_999_998), (1_999_999_999, 0, 1),
        ] as [(Int64, Int64, Int32)])
    func rounding(attoseconds: Int64, seconds: Int64, nanos: Int32) {
        let duration = Duration(secondsComponent: 0, attosecondsComponent: attoseconds)
        #expect(Timestamp(sinceEpoch: duration) == Timestamp(seconds: seconds, nanos: nanos))
    }

    @Test("pack equal messages into equal bytes")
    func deterministicAny() {
        let fields = (0..<100).map {
            ("key-\($0)", Google.Protobuf.Value(.numberValue(Double($0))))
        }
        var grown = Google.Protobuf.Struct()
        for (key, value) in fields.reversed() { grown[key] = value }
        let object = Google.Protobuf.Struct(fields: Dictionary(uniqueKeysWithValues: fields))
        let packed = Google.Protobuf.AnyMessage(packing: object)
        #expect(packed == Google.Protobuf.AnyMessage(packing: grown))
        #expect(packed.value == object.encoded(options: .deterministic))
    }

    @Test("pack any message, and unpack it with its type")
    func any() throws {
        let packed = Google.Protobuf.AnyMessage(packing: HelloRequest(name: "world"))
        #expect(packed.typeURL == "type.googleapis.com/helloworld.HelloRequest")
        #expect(packed.holds(HelloRequest.self))
        #expect(try packed.unpack() == HelloRequest(name: "world"))
        #expect(try packed.unpack(as: HelloReply.self) == nil)
        let broken = Google.Protobuf.AnyMessage.with {
            $0.typeURL = "helloworld.HelloRequest"
            $0.value = [0x0a]
        }
        #expect(throws: WireError(.truncated, offset: 1, path: [1])) {
            try broken.unpack(as: HelloRequest.self)
        }
    }

    @Test("represent JSON with literals")
    func json() throws {
        let object: Google.Protobuf.Struct = [
            "name": "Ada", "born": 1815, "tags": ["first", nil, 1.5], "alive": false,
            "inner": ["deep": true],
        ]
        #expect(try Google.Protobuf.Struct(decoding: object.encoded()) == object)
        #expect(object["born"]?.kind == .numberValue(1815))
        #expect(object["none"] == nil)
    }

    @Test("name fields and their parts in a mask")
    func mask() {
        let mask: Google.Protobuf.FieldMask = ["user.name", "id"]
        #expect(mask.contains("user.name.first"))
        #expect(mask.contains("id"))
        #expect(!mask.contains("user"))
        #expect(!mask.contains("identity"))
    }

    @Test("represent a status with its details")
    func status() throws {
        var status = Google.RPC.Status(code: 3, message: "wrong")
        status.add(Google.RPC.ErrorInfo(reason: "STALE", domain: "example.com"))
        status.add(Google.RPC.RetryInfo(retryDelay: .init(.seconds(2))))
        let received = try Google.RPC.Status(decoding: status.encoded())
        #expect(try received.detail(Google.RPC.RetryInfo.self)?.retryDelay == .init(seconds: 2))
        #expect(try received.detail(Google.RPC.ErrorInfo.self)?.reason == "STALE")
        #expect(try received.detail(Google.RPC.Help.self) == nil)
    }

    @Test("wrap a value")
    func wrappers() throws {
        #expect(Google.Protobuf.Int32Value(150).encoded() == [8, 0x96, 1])
        #expect(Google.Protobuf.BoolValue().encoded() == [])
        #expect(try Google.Protobuf.BytesValue(decoding: [0x0a, 1, 7]).value == [7])
    }
}
