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

    @Test("needs memory for the elements of its lists, also of those in options")
    func listMemory() throws {
        let file = File.with {
            $0.name = "a.proto"
            $0.dependency = ["b.proto", ""]
            $0.publicDependency = [0]
            $0.messageType = [
                .with {
                    $0.nestedType = [.init(), .init()]
                    $0.reservedName = ["x"]
                    $0.options = .with { $0.uninterpretedOption = [.with { $0.name = [.init()] }] }
                }
            ]
        }
        let message = MemoryLayout<Google.Protobuf.DescriptorProto>.stride
        let option = MemoryLayout<Google.Protobuf.UninterpretedOption>.stride
        let part = MemoryLayout<Google.Protobuf.UninterpretedOption.NamePart>.stride
        let bytes = file.encoded()
        #expect(
            try File.listByteCount(of: bytes)
                == 3 * message + 3 * MemoryLayout<String>.stride + option + part)
        #expect(try File.listByteCount(of: [UInt8]()) == 0)
    }

    @Test("has the same mistakes for the count of its memory as for its decoder")
    func mistakes() {
        let bytes = File.health.encoded()
        let deep = (0..<200).reduce([UInt8]()) { inner, _ in
            [0x1a] + rawVarint(inner.count) + inner
        }
        let broken: [[UInt8]] = [[0x22, 1, 0x0c], [0x22, 1, 7], [0x22, 2, 0x12, 1], [0xff], [0]]
        for bytes in bytes.indices.map({ Array(bytes[..<$0]) }) + broken
            + [[0x22] + rawVarint(deep.count) + deep]
        {
            var found: (decoding: WireError?, counting: WireError?)
            do throws(WireError) { _ = try File(decoding: bytes) } catch { found.decoding = error }
            do throws(WireError) { _ = try File.listByteCount(of: bytes) } catch {
                found.counting = error
            }
            #expect(found.decoding == found.counting)
        }
    }
}
