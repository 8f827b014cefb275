import SwiftletCore
import SwiftletMessages
import SwiftletTransport
import Testing

@testable import SwiftletXDS

@Suite("A session's cookie")
struct SessionTests {
    private static let cookie = SessionCookie(name: "id", lifetime: .seconds(90), path: "/s")

    private static func server(_ texts: String...) -> SessionServer {
        var metadata = Metadata()
        for text in texts { metadata.append(received: .text(text), for: "cookie") }
        return cookie.server(of: metadata)
    }

    @Test("has the addresses and the cluster in base64 with padding, and its attributes")
    func header() {
        let server = SessionServer(list: "127.0.0.1:80", cluster: "a")
        #expect(
            Self.cookie.header(for: server)
                == "id=MTI3LjAuMC4xOjgwO2E=; HttpOnly; Path=/s; Max-Age=90")
        let bare = SessionCookie(name: "id", lifetime: .zero, path: "")
        #expect(bare.header(for: server) == "id=MTI3LjAuMC4xOjgwO2E=; HttpOnly")
    }

    @Test("is found among others, in one header or in several")
    func search() {
        let expected = SessionServer(list: "127.0.0.1:80", cluster: "a")
        #expect(Self.server("id=MTI3LjAuMC4xOjgwO2E=") == expected)
        #expect(Self.server("x=1; id=MTI3LjAuMC4xOjgwO2E; y=2") == expected)
        #expect(Self.server("x=1", "id=MTI3LjAuMC4xOjgwO2E=") == expected)
        #expect(Self.server("id=MTI3LjAuMC4xOjgwO2E=; id=QQ==") == expected)
        #expect(Self.server("ID=MTI3LjAuMC4xOjgwO2E=", "aid=QQ==", "id") == .none)
        #expect(Self.server() == .none)
    }

    @Test(
        "names no server if it cannot be read",
        arguments: ["id=%%%", "id=", "id=QQ=Q", "id=\u{301}\u{301}"])
    func unreadable(text: String) { #expect(Self.server(text) == .none) }

    @Test("may lack the cluster or the addresses, and may have too many of them")
    func parts() {
        #expect(Self.server("id=QQ==") == SessionServer(list: "A", cluster: ""))
        // `;a`, then `A;b;c`, then `A,,B`.
        #expect(Self.server("id=O2E=") == SessionServer(list: "", cluster: "a"))
        #expect(Self.server("id=QTtiO2M=") == SessionServer(list: "A", cluster: "b;c"))
        #expect(Self.server("id=QSwsQg==").addresses == ["A", "B"])
        let many = SessionServer(list: ByteText(String(repeating: "A,", count: 1_000)), cluster: "")
        #expect(many.addresses.count == 64)
    }

    @Test("is sent to paths below its own")
    func paths() {
        func isSent(_ path: String, below own: ByteText) -> Bool {
            SessionCookie(name: "id", lifetime: .zero, path: own).isSent(to: path)
        }
        #expect(isSent("/s/M", below: ""))
        #expect(isSent("/s/M", below: "/s") && isSent("/s/M", below: "/s/"))
        #expect(isSent("/s/M", below: "/s/M"))
        #expect(!isSent("/ss/M", below: "/s") && !isSent("/s", below: "/s/"))
        #expect(!isSent("/S/M", below: "/s"))
    }

    @Test("is set for another server or another cluster, and only if a server was chosen")
    func responses() {
        func cookies(
            _ former: SessionServer, _ chosen: ByteText, in cluster: ByteText = "a"
        ) -> [Metadata.Content] {
            let session = Session(Self.cookie, former, in: cluster)
            session.choose(chosen)
            var metadata: Metadata = ["set-cookie": "other=1"]
            session.responseBegins(with: &metadata)
            #expect(metadata["set-cookie"] == "other=1", "the server's own cookies stay")
            return Array(metadata[all: "set-cookie"].dropFirst())
        }
        let former = SessionServer(list: "A", cluster: "a")
        #expect(cookies(.none, "A").count == 1)
        #expect(cookies(former, "A").isEmpty)
        #expect(cookies(former, "B").count == 1)
        #expect(cookies(former, "A", in: "b").count == 1)
        #expect(cookies(SessionServer(list: "A", cluster: ""), "A").count == 1)
        #expect(cookies(former, "").isEmpty)
    }

    @Test(
        "has a name and a path that can be in a header",
        arguments: [
            ("a b", ""), ("a=b", ""), ("a;b", ""), ("a\r\nb", ""), ("é", ""), ("a", "/x;y"),
            ("a", "/\n"),
        ])
    func legalTexts(name: String, path: String) {
        let state = Envoy.Filters.CookieBasedSessionState.with {
            $0.cookie = .with {
                $0.name = name
                $0.path = path
            }
        }
        let filter = Envoy.Filters.StatefulSession.with {
            $0.sessionState = .with { $0.typedConfig = Sample.any(state) }
        }
        let listener = Sample.listener("l") {
            $0.httpFilters.insert(Sample.filter("session", filter), at: 0)
        }
        let checked = Sample.check(listener, .listener)
        #expect(checked.resource == nil && checked.problem.contains("is not a legal"))
    }
}
