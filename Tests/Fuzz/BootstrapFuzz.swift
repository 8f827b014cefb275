// fuzz-modules: Transport Core JSONText JSON Balancing Messages WellKnown XDS
//
// A libFuzzer target for the bootstrap of the control planes; `Tests/Fuzz/run` builds it.

import SwiftletCore
import SwiftletMessages

@testable import SwiftletXDS

/// Reads the input as a bootstrap, which may be refused with a reason of limited length, and uses one that is accepted.
///
/// libFuzzer keeps `bytes` alive for this call, and `count` bounds them.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzBootstrap(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = unsafe UnsafeBufferPointer(start: bytes, count: count)
    BootstrapFuzz.run(unsafe String(decoding: input, as: UTF8.self))
    return 0
}

enum BootstrapFuzz {
    static func run(_ text: String) {
        let bootstrap: XDS.Bootstrap
        do throws(RPCError) {
            bootstrap = try XDS.Bootstrap(json: text)
        } catch {
            precondition(error.code == .invalidArgument && !error.message.isEmpty)
            precondition(error.message.utf8.count < 65_536)
            return
        }
        precondition(!bootstrap.servers.isEmpty)
        let again = try? XDS.Bootstrap(json: text)
        precondition(again == bootstrap, "the same text is another bootstrap")
        let node = bootstrap.node.message.encoded()
        precondition((try? Envoy.Core.Node(decoding: node)) != nil)
        _ = bootstrap.node.loadReportMessage.encoded()
        for authority in ["", "a"] + bootstrap.authorities.keys.map(\.string) {
            for path in ["", "svc x:80", "%s/é"] {
                guard let name = try? bootstrap.listenerName(of: path, authority: authority) else {
                    continue
                }
                // A name that a server is asked for has one spelling.
                let text = ResourceName(name.text.string, of: .listener)
                precondition(text == name, "\(name.text.string)")
                if let servers = try? bootstrap.servers(for: name) {
                    precondition(!servers.isEmpty)
                }
            }
        }
    }
}
