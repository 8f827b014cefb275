import SwiftletDescriptors
import SwiftletMessages
import SwiftletServices
import Testing

@Suite("A file's description")
struct DescriptorTests {
    typealias File = Google.Protobuf.FileDescriptorProto

    @Test("keeps the options without a declaration here")
    func unknownOptions() throws {
        let custom: [UInt8] = [0xd2, 0xbc, 0x03, 0x02, 0x61, 0x62]
        let java: [UInt8] = [0x0a, 0x01, 0x6a]
        let options = try Google.Protobuf.FileOptions(decoding: java + custom)
        #expect(options.javaPackage == "j")
        #expect(options.unknownFields.bytes == custom)
        #expect(options.encoded() == java + custom)
    }

    @Test("names the enums inside its messages")
    func nestedEnums() {
        let symbols = File.health.symbols
        #expect(symbols.contains("grpc.health.v1.HealthCheckResponse.ServingStatus"))
        #expect(symbols.contains("grpc.health.v1.HealthCheckResponse"))
    }

    @Test("names its services and symbols")
    func names() {
        #expect(File.health.serviceNames == ["grpc.health.v1.Health"])
        #expect(
            File.helloworld.symbols == [
                "helloworld.HelloRequest", "helloworld.HelloReply", "helloworld.Greeter",
                "helloworld.Greeter.SayHello", "helloworld.Greeter.SayHelloStreamReply",
                "helloworld.Greeter.SayHelloBidiStream",
            ])
    }
}
