import Swiftlet
import SwiftletServices

extension InteropCase {
    private static let requestSizes = [27_182, 8, 1_828, 45_904]
    private static let replySizes = [31_415, 9, 2_653, 58_979]

    /// Cases with streams of messages.
    static let streaming = [
        InteropCase("client_streaming") { server in
            try await server.withChannel { client in
                let reply = try await client.channel.clientStreaming(
                    TestServiceClient.inputCall, options: TestServiceClient.options()
                ) { requests in
                    for size in requestSizes {
                        try await requests.write(.init(payload: .zeros(size)))
                    }
                }
                try expect("aggregated_payload_size", reply.aggregatedPayloadSize, is: 74_922)
            }
        },
        InteropCase("server_streaming") { server in
            try await server.withChannel { client in
                let replies = try await client.channel.serverStreaming(
                    TestServiceClient.outputCall, .sized(back: replySizes),
                    options: TestServiceClient.options())
                var sizes: [Int] = []
                for try await reply in replies { sizes.append(reply.payload?.body.count ?? 0) }
                try expect("the sizes of the answers", sizes, is: replySizes)
            }
        },
        InteropCase("ping_pong") { server in
            try await server.withChannel { client in
                let call = try await client.duplex()
                var replies = call.responses.makeAsyncIterator()
                for (out, back) in zip(requestSizes, replySizes) {
                    try await call.requests.write(.sized(out: out, back: [back]))
                    let reply = try await replies.next()
                    try expect("the size of an answer", reply?.payload?.body.count, is: back)
                }
                call.requests.finish()
                try expect("a fifth answer", try await replies.next(), is: nil)
            }
        },
        InteropCase("empty_stream") { server in
            try await server.withChannel { client in
                let call = try await client.duplex()
                call.requests.finish()
                var replies = call.responses.makeAsyncIterator()
                try expect("an answer", try await replies.next(), is: nil)
            }
        },
        InteropCase("slow_consumer", isLong: true) { server in
            let (count, pause) = server.settings.slowAnswers
            let timeout = InteropServer.callTimeout + pause * count
            try await server.withChannel { client in
                let replies = try await client.channel.serverStreaming(
                    TestServiceClient.outputCall,
                    .sized(back: Array(repeating: 1_030, count: count)),
                    options: TestServiceClient.options { $0.timeout = timeout })
                var done = 0
                for try await reply in replies {
                    try expect("the size of an answer", reply.payload?.body.count, is: 1_030)
                    done += 1
                    try await Task.sleep(for: pause)
                }
                try expect("the number of answers", done, is: count)
            }
        },
    ]
}
