import SwiftletCore
import Testing

@Suite("What is printed")
struct DescriptionTests {
    private func texts(of value: some Any) -> [String] {
        var dumped = ""
        dump(value, to: &dumped)
        return ["\(value)", String(reflecting: value), dumped]
    }

    @Test("tells no secret, however deep it lies")
    func secrets() {
        let token = BearerToken.Token("s3cret", validFor: .seconds(60))
        let metadata: Metadata = ["authorization": "Bearer s3cret", "cookie": "s3cret", "a": "b"]
        let options = CallOptions.with {
            $0.metadata = metadata
            $0.credentials = BearerToken("s3cret")
        }
        var error = RPCError(.aborted, "")
        error.metadata = metadata
        var tls = TLSOptions()
        tls.privateKey = .text("s3cret")
        let values: [Any] = [
            token, [token], BearerToken("s3cret"), metadata, metadata[0], Array(metadata), options,
            error, tls,
        ]
        for value in values {
            for text in texts(of: value) { #expect(!text.contains("s3cret"), "\(text)") }
        }
        for text in texts(of: metadata) { #expect(text.contains("a: b"), "\(text)") }
    }

    @Test("of a deadline is what is left of it")
    func deadlines() {
        #expect("\(Deadline.never)" == "never")
        #expect("\(Deadline.after(.zero))" == "passed")
        let hour = "\(Deadline.after(.seconds(3_600)))"
        #expect(hour.hasPrefix("in 35"), "\(hour)")
    }
}
