import SwiftletLoopback
import Testing

@testable import SwiftletCLI

@Suite("swiftlet serve --fault", .timeLimit(.minutes(5)))
struct FaultOptionTests {
    private static func faults(_ values: String...) throws -> [Fault] {
        let words = values.flatMap { ["--fault", $0] }
        return try FaultOption.faults(Arguments(words, of: ServeCommand.self))
    }

    private static let texts: [(value: String, fault: String)] = [
        ("status:unavailable", "status(UNAVAILABLE, \"caused by --fault\")"),
        ("status:5,on=a.B/C", "status(NOT_FOUND, \"caused by --fault\") on /a.B/C"),
        ("stall,on=/a.B/C,call=3", "stall on /a.B/C, calls [3]"),
        ("drop,call=2", "drop, calls [2]"),
        ("drop-after:4", "dropAfterMessages(4)"),
        ("refuse", "refuse"), ("no-trailers", "missingTrailers"), ("garbage", "garbage"),
    ]

    @Test("sets a fault for certain calls", arguments: texts)
    func parsed(value: String, fault: String) throws {
        #expect(try Self.faults(value).map { "\($0)" } == [fault])
    }

    @Test(
        "refuses unknown kinds and values",
        arguments: [
            ("", "not a kind: ''"), ("dropp", "did you mean 'drop'?"), ("stall:1", "not a kind"),
            ("status:OK", "not an error status: 'OK'"),
            ("status:UNAVAILABL", "did you mean 'UNAVAILABLE'?"),
            ("reset:99", "not an error code of HTTP/2: '99' (expected 0 to 13)"),
            ("delay:never", "not a time: 'never'"), ("drop-after:-1", "not a count"),
            ("drop,call=0", "not the number of a call: '0'"), ("drop,share=2", "not a share: '2'"),
            ("drop,cal=1", "unknown part 'cal'; did you mean 'call'?"),
            ("drop,3", "'3' is not on=METHOD, call=N or share=P"),
            ("drop,call=1,share=1", "'call' and 'share' exclude each other"),
        ])
    func refused(value: String, message: String) throws {
        let error = #expect(throws: UsageError.self) { try Self.faults(value) }
        #expect(error?.message.hasPrefix("--fault: ") == true)
        #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
    }

    @Test("makes the built program fail calls, and refuses a method that it does not serve")
    func served() async throws {
        let program = try Program([
            "serve", "--port", "0", "--fault",
            "status:UNAVAILABLE,on=helloworld.Greeter/SayHello,call=1",
        ])
        let line = try await program.line(startingWith: "serving on ")
        let target = String(line.dropFirst("serving on ".count))
        let call = ["call", target, "helloworld.Greeter/SayHello"]
        let failed = try await Program.run(call)
        #expect(failed.status == 64 + 14)
        #expect(failed.errors.contains("caused by --fault"))
        #expect(try await Program.run(call).status == 0)
        program.interrupt()
        #expect(try await program.end().status == 130)

        let refused = try await Program.run(["serve", "--port", "0", "--fault", "drop,on=a.B/C"])
        #expect(refused.status == 2)
        #expect(refused.errors.contains("/a.B/C"), "\(refused.errors)")
    }
}
