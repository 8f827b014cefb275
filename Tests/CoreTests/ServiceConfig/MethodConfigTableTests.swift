import Testing

@testable import SwiftletCore

@Suite("The service config's entry for a method")
struct MethodConfigTableTests {
    private static func config(_ seconds: Int, _ names: MethodConfig.Name...) -> MethodConfig {
        MethodConfig(names) { $0.timeout = .seconds(seconds) }
    }

    @Test(
        "the most specific match wins",
        arguments: [
            ("/MyService/Foo", 3), ("/MyService/Bar", 2), ("/AnotherService/Baz", 1),
            ("/MyService/", 2), ("/MyService", 1), ("", 1), ("/", 1), ("MyService/Foo", 3),
        ])
    func specific(path: String, seconds: Int) {
        let table = MethodConfigTable([
            Self.config(1, .all), Self.config(2, .service("MyService")),
            Self.config(3, .method(service: "MyService", method: "Foo")),
        ])
        #expect(table.rules(for: path)?.config.timeout == .seconds(seconds))
    }

    @Test("is nil if no entry names the method")
    func none() {
        #expect(MethodConfigTable([]).rules(for: "/s/M") == nil)
        #expect(MethodConfigTable([Self.config(1, .service("a"))]).rules(for: "/s/M") == nil)
    }

    @Test("the first of two entries with the same name counts")
    func repeated() {
        let table = MethodConfigTable([
            Self.config(1, .service("s")), Self.config(2, .service("s")),
        ])
        #expect(table.rules(for: "/s/M")?.config.timeout == .seconds(1))
    }
}
