public import SwiftletDescriptors
public import SwiftletMessages

// The descriptors of the services that a server for tests offers. The module reads no `.proto`
// files; it holds what was compiled from them.
extension Google.Protobuf.FileDescriptorProto {
    /// `helloworld.proto`
    public static let helloworld = Self(base64: ExampleDescriptorBytes.helloworld)

    /// `routeguide.proto`
    public static let routeguide = Self(base64: ExampleDescriptorBytes.routeguide)

    /// `grpc/testing/empty.proto`
    public static let testingEmpty = Self(base64: ExampleDescriptorBytes.testingEmpty)

    /// `grpc/testing/messages.proto`
    public static let testingMessages = Self(base64: ExampleDescriptorBytes.testingMessages)

    /// `grpc/testing/test.proto`
    public static let testing = Self(base64: ExampleDescriptorBytes.testing)

    /// `grpc/testing/benchmark_service.proto`
    public static let testingBenchmark = Self(base64: ExampleDescriptorBytes.testingBenchmark)

    /// `grpc/health/v1/health.proto`
    public static let health = Self(base64: ExampleDescriptorBytes.health)

    /// `grpc/reflection/v1/reflection.proto`
    public static let reflection = Self(base64: ExampleDescriptorBytes.reflection)

    /// `grpc/reflection/v1alpha/reflection.proto`
    public static let reflectionAlpha = Self(base64: ExampleDescriptorBytes.reflectionAlpha)

    /// All files above, imported files first.
    public static let bundled: [Self] = [
        helloworld, routeguide, testingEmpty, testingMessages, testing, testingBenchmark, health,
        reflection, reflectionAlpha,
    ]

    /// Decodes a descriptor that is part of the program. Stops the program if it is malformed.
    private init(base64 text: String) {
        do throws(WireError) { try self.init(decoding: Self.decoded(text)) } catch {
            ProgramError.stop("the descriptor of an example service is broken: \(error)")
        }
    }

    private static func decoded(_ text: String) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count / 4 * 3)
        var bits: UInt32 = 0
        var bitCount: UInt32 = 0
        for character in text.utf8 {
            guard let value = sixBits(character) else { break }
            bits = bits << 6 | value
            bitCount += 6
            guard bitCount >= 8 else { continue }
            bitCount -= 8
            bytes.append(UInt8(truncatingIfNeeded: bits >> bitCount))
        }
        return bytes
    }

    /// The value of a base64 character; nil for padding.
    private static func sixBits(_ character: UInt8) -> UInt32? {
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(character - UInt8(ascii: "A"))
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(character - UInt8(ascii: "a")) + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(character - UInt8(ascii: "0")) + 52
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: nil
        }
    }
}
