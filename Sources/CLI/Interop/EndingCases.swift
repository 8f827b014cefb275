import Swiftlet
import SwiftletServices

extension InteropCase {
    /// Cases in which the client ends the call.
    static let endings = [
        InteropCase("cancel_after_begin") { server in
            try await server.withChannel { client in
                // After this call the channel is connected, so that the headers are sent at once.
                try await client.checkServed()
                let call = try await client.channel.bidirectional(
                    TestServiceClient.inputCall, options: TestServiceClient.options())
                call.cancel()
                let error = try await expectFailure("the call", .cancelled) {
                    for try await _ in call.responses {}
                }
                try expect("that the headers were sent", error.timeline?.streamCount, is: 1)
            }
        },
        InteropCase("cancel_after_first_response") { server in
            try await server.withChannel { client in
                let call = try await client.duplex()
                try await call.requests.write(.sized(out: 27_182, back: [31_415]))
                var replies = call.responses.makeAsyncIterator()
                let reply = try await replies.next()
                try expect("the size of the answer", reply?.payload?.body.count, is: 31_415)
                call.cancel()
                try await expectFailure("the call", .cancelled) {
                    while try await replies.next() != nil {}
                }
            }
        },
        InteropCase("timeout_on_sleeping_server") { server in
            try await server.withChannel { client in
                // A call of an unknown method may also end with DEADLINE_EXCEEDED. So a call without the short
                // deadline first checks that the server has the method.
                try await served(TestServiceClient.duplexCall.path) {
                    let call = try await client.duplex()
                    call.requests.finish()
                    for try await _ in call.responses {}
                }
                let call = try await client.duplex { $0.timeout = .milliseconds(1) }
                try await expectFailure("the call", .deadlineExceeded) {
                    try await call.requests.write(.sized(out: 27_182, back: []))
                    for try await _ in call.responses {}
                }
            }
        },
    ]
}
