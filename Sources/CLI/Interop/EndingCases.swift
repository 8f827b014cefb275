import Swiftlet

extension InteropCase {
    /// Calls that the client ends.
    static let endings = [
        InteropCase("cancel_after_begin") { server in
            try await server.withChannel { client in
                // Behind this there is a connection, on which the headers leave at once.
                try await client.checkServed()
                let call = try await client.channel.bidirectional(
                    TestServiceClient.inputCall, TestServiceClient.options())
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
                // A call that nobody takes may be late as well.
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
