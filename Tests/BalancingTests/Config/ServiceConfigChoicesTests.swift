import Testing

@testable import SwiftletBalancing
@testable import SwiftletCore

@Suite("The choices of a service config (A2)")
struct ServiceConfigChoicesTests {
    private static let client = ServiceConfigChoices.Client(hostName: "Host-1", percentile: 40)

    /// The name of the health service in the chosen config. Each choice has another name, so the name
    /// identifies the choice.
    private static func chosen(_ texts: String...) throws -> String? {
        try ServiceConfigChoices(texts: texts.map { Array($0.utf8) })
            .config(for: client)?.healthCheckServiceName
    }

    private static func choice(_ fields: String, _ name: String) -> String {
        "{\(fields)\"serviceConfig\":{\"healthCheckConfig\":{\"serviceName\":\"\(name)\"}}}"
    }

    @Test(
        "are tried in order, and all criteria must match",
        arguments: [
            (#""#, "a"), (#""clientLanguage":["go","SWIFT"],"#, "a"),
            (#""clientLanguage":[],"clientHostname":[],"#, "a"),
            (#""clientLanguage":["go"],"#, "b"),
            (#""percentage":41,"#, "a"), (#""percentage":40,"#, "b"), (#""percentage":100,"#, "a"),
            (#""percentage":0,"#, "b"), (#""clientHostname":["x","Host-1"],"#, "a"),
            (#""clientHostname":["host-1"],"#, "b"),
            (#""clientLanguage":["swift"],"percentage":10,"#, "b"),
            (#""clientLanguage":["swift"],"percentage":90,"clientHostname":["Host-1"],"#, "a"),
        ])
    func criteria(fields: String, expected: String) throws {
        let text = "grpc_config=[\(Self.choice(fields, "a")),\(Self.choice("", "b"))]"
        #expect(try Self.chosen(text) == expected)
    }

    @Test("are those of the first text that is an attribute of this name")
    func attribute() throws {
        let text = "grpc_config=[\(Self.choice("", "a"))]"
        #expect(try Self.chosen("v=spf1", text, "grpc_config=[]") == "a")
        #expect(try Self.chosen() == nil)
        #expect(try Self.chosen("grpc_config", "") == nil)
        #expect(try Self.chosen("grpc_config=[]") == nil)
        #expect(try Self.chosen("grpc_config=[\(Self.choice(#""percentage":0,"#, "a"))]") == nil)
    }

    @Test(
        "are invalid as a whole if one of them is, or if the config of the chosen one is",
        arguments: [
            ("grpc_config=", "expected a value"), ("grpc_config={}", "an array of choices"),
            ("grpc_config=[1]", "[0]: expected an object"),
            (#"grpc_config=[{"serviceConfig":{},"x":1}]"#, "[0].x: is not a field"),
            ("grpc_config=[{}]", "[0].serviceConfig: is required"),
            (#"grpc_config=[{"serviceConfig":[]}]"#, "[0].serviceConfig: expected an object"),
            (
                #"grpc_config=[{"serviceConfig":{}},{"percentage":101,"serviceConfig":{}}]"#,
                "[1].percentage"
            ),
            (#"grpc_config=[{"percentage":1.0,"serviceConfig":{}}]"#, "[0].percentage"),
            (#"grpc_config=[{"percentage":-0,"serviceConfig":{}}]"#, "[0].percentage"),
            (#"grpc_config=[{"percentage":"1","serviceConfig":{}}]"#, "[0].percentage"),
            (#"grpc_config=[{"clientLanguage":"swift","serviceConfig":{}}]"#, "[0].clientLanguage"),
            (#"grpc_config=[{"clientHostname":[1],"serviceConfig":{}}]"#, "[0].clientHostname[0]"),
            (
                #"grpc_config=[{"percentage":0,"serviceConfig":{}},{"serviceConfig":{"retryThrottling":1}}]"#,
                "[1].serviceConfig.retryThrottling"
            ),
            ("grpc_config=[{\"serviceConfig\":{}}", "expected"),
            ("grpc_config=" + String(repeating: "[", count: 1_000), "[0]"),
        ])
    func invalid(text: String, expected: String) {
        let error = #expect(throws: RPCError.self) { try Self.chosen(text) }
        #expect(error?.code == .invalidArgument)
        if !text.hasSuffix("[[[") {
            #expect(error?.message.contains(expected) ?? false, "\(error?.message ?? "none")")
        }
    }

    @Test("may have a config for other clients that this client does not know")
    func otherClients() throws {
        let unknown = #""serviceConfig":{"loadBalancingConfig":[{"grpclb":{}}]}"#
        for criterion in [#""clientLanguage":["java"]"#, #""percentage":0"#] {
            let text = "grpc_config=[{\(criterion),\(unknown)},\(Self.choice("", "a"))]"
            #expect(try Self.chosen(text) == "a")
        }
        let text = "grpc_config=[\(Self.choice("", "a")),{\(unknown)}]"
        #expect(try Self.chosen(text) == "a")
    }
}
