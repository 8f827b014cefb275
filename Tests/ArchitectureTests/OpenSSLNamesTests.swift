import Foundation
import Testing

/// A program without dynamic libraries names OpenSSL's functions in a table. The library cannot look one up that the
/// table lacks.
@Suite("The table of OpenSSL's functions")
struct OpenSSLNamesTests {
    private static let tests = ImportTests.sources.deletingLastPathComponent().appending(
        path: "Tests")

    private static func text(_ url: URL) throws -> String {
        try String(contentsOf: url, encoding: .utf8)
    }

    /// The functions that a text in C names: `f(SSL_new)`.
    private static func named(_ text: String) -> [String] {
        text.matches(of: #/\bf\(([A-Za-z0-9_]{3,})\)/#).map { String($0.1) }
    }

    @Test(
        "has each function that the library looks up, and no other, also in the documentation",
        arguments: [
            tests.appending(path: "TLS/linked/openssl.c"),
            ImportTests.sources.appending(path: "Swiftlet/Swiftlet.docc/TLSAndCredentials.md"),
        ])
    func names(table: URL) throws {
        let source = try Self.text(
            ImportTests.sources.appending(path: "Transport/TLS/OpenSSLLibrary.swift"))
        // Of two names of a function, the first is the one since version 3.
        let wanted = source.matches(of: #/find\(\s*"([A-Za-z0-9_]+)"/#).map { String($0.1) }
        let version = ["OpenSSL_version", "OpenSSL_version_num"]
        #expect(wanted.count > 80)
        #expect(Self.named(try Self.text(table)).sorted() == (wanted + version).sorted())
    }
}
