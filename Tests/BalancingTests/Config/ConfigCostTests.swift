import TestSupport
import Testing

@testable import SwiftletBalancing
@testable import SwiftletCore

/// Compares configs of the same size by the processor time that it takes to read them.
@Suite("Reading a config costs as much as its size", .serialized, .timeLimit(.minutes(5)))
struct ConfigCostTests {
    private static let longName = String(repeating: "k", count: 128_000)

    /// How often it costs to read fields in an object with a long name what it costs to read the same fields beside a
    /// long text.
    private static func ratio(ofFields fields: String) -> Double {
        func read(name: String, text: String) -> () -> Void {
            let json = """
                {"loadBalancingConfig": [{"weighted_target_experimental": {"targets": {
                  "\(name)": {"weight": 1, \(fields)}
                }}}], "loadBalancingPolicy": "\(text)"}
                """
            return {
                guard (try? ServiceConfig(json: json)) != nil else {
                    preconditionFailure("refused")
                }
            }
        }
        return ProcessorTime.ratio(
            of: read(name: longName, text: ""), to: read(name: "k", text: longName))
    }

    @Test("if objects with long names contain many others")
    func objects() {
        let policies = String(repeating: "{\"x\": {}}, ", count: 12_000)
        let ratio = Self.ratio(ofFields: "\"childPolicy\": [\(policies){\"round_robin\": {}}]")
        #expect(ratio < CostlyText.maxRatio, "\(ratio)")
    }

    @Test("if objects with long names have many fields that are not known")
    func unknownFields() {
        let fields = (0..<12_000).map { "\"x\($0)\": 1, " }.joined()
        let ratio = Self.ratio(ofFields: "\(fields)\"childPolicy\": [{\"round_robin\": {}}]")
        #expect(ratio < CostlyText.maxRatio, "\(ratio)")
    }

    @Test("and a field that is read twice is known")
    func twice() throws {
        let config = try ConfigObject(json: #"{"a": [{"b": {"c": 1, "d": 2}}], "e": {"f": 3}}"#)
        for name in ["c", "d"] {
            let object = try #require(try config.objects("a")?.first?.object("b"))
            #expect(object.path == "a[0].b")
            _ = try object.integer(name)
        }
        _ = try config.object("e")
        #expect(config.unreadFields() == ["e.f: the field is not known, so it has no effect"])
    }
}
