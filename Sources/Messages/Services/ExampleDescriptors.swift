import SwiftletCore
public import SwiftletDescriptors
public import SwiftletMessages

// The descriptors of the services that a server for tests offers. The module reads no `.proto`
// files. It contains the compiled descriptors.
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
        guard let bytes = Base64.decode(text.utf8) else {
            ProgramError.stop("the descriptor of an example service is not base64")
        }
        do throws(WireError) { try self.init(decoding: bytes) } catch {
            ProgramError.stop("the descriptor of an example service is broken: \(error)")
        }
    }
}
