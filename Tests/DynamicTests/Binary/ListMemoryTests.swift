import SwiftletDynamic
import SwiftletMessages
import SwiftletServices
import Testing

@Suite("The memory that the lists of a file's description need")
struct ListMemoryTests {
    typealias File = Google.Protobuf.FileDescriptorProto

    @Test("counts the elements of its lists, also of those in options")
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

    @Test("has the same mistakes as the decoder")
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
