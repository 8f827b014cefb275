import Swiftlet

extension InteropCase {
    /// Servers that try the client's HTTP/2 (`doc/http2-interop-test-descriptions.md`). Each case
    /// needs the server that plays its part.
    static let negative = [
        InteropCase("goaway", peer: .ownServer) { server in
            try await server.withChannel { client in
                try await client.checkLargeUnary()
                // The GOAWAY comes with the first answer or just behind it.
                try await Task.sleep(for: server.settings.pauseBetweenCalls)
                try await client.checkLargeUnary()
            }
        },
        reset("rst_after_header"),
        reset("rst_during_data"),
        reset("rst_after_data"),
        InteropCase("ping", peer: .ownServer) { server in
            try await server.withChannel { client in try await client.checkLargeUnary() }
        },
        InteropCase("max_streams", peer: .ownServer) { server in
            try await server.withChannel { client in
                try await client.checkLargeUnary()
                try await client.checkAtOnce(server.settings.callsOverTheLimit)
            }
        },
        InteropCase("data_frame_padding", peer: .ownServer) { server in
            try await server.withChannel { client in try await client.checkLargeUnary() }
        },
        InteropCase("no_df_padding_sanity_test", peer: .ownServer) { server in
            try await server.withChannel { client in try await client.checkLargeUnary() }
        },
    ]

    /// A stream that is reset somewhere must not look like a success.
    private static func reset(_ name: String) -> InteropCase {
        InteropCase(name, peer: .ownServer) { server in
            try await server.withChannel { client in
                do {
                    _ = try await client.unary(.large)
                } catch let error as RPCError {
                    let isAbsent = error.mayHaveBeenExecuted == false
                    guard !isAbsent, error.code != .unimplemented else {
                        throw NotServed(reason: "\(error)")
                    }
                    return try expect(
                        "that the server reset the stream",
                        error.message.hasPrefix("the server reset the stream"), is: true)
                }
                throw CaseFailure(reason: "the call succeeded on a stream that was reset")
            }
        }
    }
}
