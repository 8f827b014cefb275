import Testing

@testable import SwiftletCore

@Suite("What may be secret")
struct HiddenSecretsTests {
    @Test(
        "is hidden in descriptions of metadata, by the header's name",
        arguments: [
            ("authorization", true), ("proxy-authorization", true), ("cookie", true),
            ("set-cookie", true), ("x-api-key", true), ("x-apikey", true),
            ("x-amz-security-token", true), ("x-client-secret", true), ("db-password", true),
            ("x-blob-bin", true), ("x-token-bin", true), ("x-request-id", false),
            ("grpc-status-details-bin", false), ("endpoint-load-metrics-bin", false),
            ("content-type", false),
        ])
    func headers(name: String, isHidden: Bool) {
        let element = Metadata.Element(
            name: name, value: name.hasSuffix("-bin") ? .bytes([1, 2, 3]) : .text("value"))
        #expect("\(element)".hasSuffix("(hidden)") == isHidden, "\(element)")
    }

    @Test("is also what the program names, in every place that shows metadata")
    func added() {
        let metadata: Metadata = ["x-only-here": "hunter2", "x-open": "o"]
        #expect("\(metadata)".contains("hunter2"))
        Metadata.hideValues(of: "X-Only-Here")
        var dumped = ""
        dump(metadata, to: &dumped)
        for text in ["\(metadata)", String(reflecting: metadata), dumped] {
            #expect(!text.contains("hunter2") && text.contains("x-open: o"), "\(text)")
        }
        #expect(MetadataRules.hasSecretName("x-only-here"), "hidden in recordings")
    }

    @Test("is hidden in errors about targets")
    func targets() {
        let error = #expect(throws: RPCError.self) { try Target("ipv4:u:hunter2@1.2.3.4") }
        #expect(error?.message.contains("hunter2") == false, "\(error as Any)")
    }
}
