import Foundation
import Testing

@testable import SwiftletTransport

/// Programs that link OpenSSL are tested by Tests/TLS/linked.
@Suite("The search for OpenSSL")
struct OpenSSLSearchTests {
    @Test("names what was looked for, and the ways to have TLS, when there is no OpenSSL")
    func missingLibrary() {
        let error = #expect(throws: TLSError.self) {
            _ = try OpenSSLLibrary.load(["libssl.so.nowhere"], nil)
        }
        #expect(error?.kind == .libraryMissing)
        for part in [
            "not in the process", "not named by SWIFTLET_OPENSSL", "not a file libssl.so.nowhere",
            "TLSLibrary", "TLSEngine",
        ] {
            #expect(error?.message.contains(part) == true, "\(part)")
        }
    }

    @Test("reports the loader's error for an OpenSSL that does not load")
    func brokenLibrary() throws {
        let path = NSTemporaryDirectory() + "libssl-\(UUID().uuidString).so"
        try String(repeating: "This is no library. ", count: 100).write(
            toFile: path, atomically: true, encoding: .utf8)
        defer { try? FileManager.default.removeItem(atPath: path) }
        let error = #expect(throws: TLSError.self) {
            _ = try OpenSSLLibrary.load(["libssl.so.nowhere", path], nil)
        }
        #expect(error?.kind == .libraryMissing)
        #expect(error?.message.hasPrefix("OpenSSL does not load: ") == true)
        #expect(error?.message.contains(path) == true)
        #expect(error?.message.contains("nowhere") == false)
    }

    @Test(
        "ends with an error for other libraries with OpenSSL's functions, and for old versions",
        arguments: [
            ("OpenSSL 3.5.4 30 Sep 2025", 0x3050_0040, true),
            ("OpenSSL 1.1.1w  11 Sep 2023", 0x1010_117f, true),
            ("OpenSSL 1.1.0l  10 Sep 2019", 0x1010_00cf, false),
            ("OpenSSL 1.0.2u  20 Dec 2019", 0x1000_215f, false),
            ("BoringSSL", 0x1010_107f, false),
            ("LibreSSL 3.8.2", 0x2000_0000, false),
            ("OpenSSL 1.1.1 (compatible; AWS-LC 1.30.0)", 0x1010_107f, false),
        ] as [(String, CUnsignedLong, Bool)])
    func versions(text: String, number: CUnsignedLong, isSupported: Bool) {
        let version = OpenSSLVersion(text: text, number: number)
        #expect(version.isSupported == isSupported)
        #expect(version.isVersion3 == text.hasPrefix("OpenSSL 3"))
    }

    @Test("ends with an error for a library that does not say its version")
    func nameless() {
        let error = #expect(throws: TLSError.self) {
            _ = try OpenSSLLibrary(
                "of nowhere", unsafe OpenSSLSymbols(program: { _ in nil }))
        }
        #expect(
            error?.message.hasPrefix("an unknown library of nowhere cannot be used") == true,
            "\(error as Any)")
    }
}
