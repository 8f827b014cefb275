import Swiftlet
import SwiftletLoopback
import Testing

/// One kind of misbehaviour of a server, and the expected reaction of a client.
struct HostileRow: Sendable, CustomTestStringConvertible {
    enum Start: Sendable { case preface, call }
    enum Connection: Sendable { case closed, kept, either }
    enum Others: Sendable { case live, mayDie, unasked }

    let name: String
    let start: Start
    /// The codes that the call may end with.
    let accepted: Set<Int>
    let connection: Connection
    let others: Others
    /// The timeout of a call that may end with DEADLINE_EXCEEDED; other calls get 20 seconds.
    let deadline: Duration

    init(
        _ name: String, _ start: Start, _ accepted: Set<Int>, _ connection: Connection,
        _ others: Others, deadline: Duration = .seconds(2)
    ) {
        self.name = name
        self.start = start
        self.accepted = accepted
        self.connection = connection
        self.others = others
        self.deadline = deadline
    }

    var testDescription: String { name }
}

private typealias Row = HostileRow

@Suite("A client answers a hostile server", .timeLimit(.minutes(5)))
struct HostileServerTests {
    private static let rows = [
        Row("ok", .call, [0], .kept, .live),
        Row("garbage_preface", .preface, [13, 14], .closed, .mayDie),
        Row("http1_reply", .preface, [2, 13, 14], .closed, .mayDie),
        Row("settings_never_acked", .preface, [0], .either, .unasked),
        Row("silent", .preface, [4], .either, .live, deadline: .milliseconds(300)),
        Row("zero_window_forever", .preface, [4], .either, .unasked, deadline: .milliseconds(300)),
        Row(
            "max_streams_zero", .preface, [4, 14], .either, .unasked, deadline: .milliseconds(300)),
        Row("settings_unknown_ids", .preface, [0], .kept, .live),
        Row("oversized_frame", .call, [13, 14], .closed, .mayDie),
        Row("data_on_stream_0", .call, [13, 14], .closed, .mayDie),
        Row("wu_overflow_conn", .call, [13, 14], .closed, .mayDie),
        Row("push_promise", .call, [4, 13, 14], .closed, .mayDie),
        Row("unknown_frames", .call, [0], .kept, .live),
        Row("padded_all", .call, [0], .kept, .live),
        Row("continuation_split", .call, [0], .kept, .live),
        Row("empty_data_frames", .call, [0], .kept, .live),
        Row("informational_100", .call, [0], .kept, .live),
        Row("hpack_bad_index", .call, [13, 14], .closed, .mayDie),
        Row("hpack_table_size_too_big", .call, [13, 14], .closed, .mayDie),
        Row("hpack_bomb", .call, [0, 2, 8, 13, 14], .either, .unasked),
        Row("continuation_flood", .call, [2, 4, 8, 13, 14], .closed, .mayDie),
        Row("flood_ping_noread", .call, [0, 4, 8, 13, 14], .either, .unasked),
        Row("flood_settings_noread", .call, [0, 4, 8, 13, 14], .either, .unasked),
        Row("flood_empty_data", .call, [0, 2, 4, 8, 13, 14], .either, .unasked),
        Row("hdr_bin_unpadded", .call, [0], .kept, .live),
        Row("status_missing", .call, [2, 13], .kept, .live),
        Row("status_nonnumeric", .call, [2, 13], .kept, .live),
        Row("status_17", .call, [2], .kept, .live),
        Row("message_bad_percent", .call, [3], .kept, .live),
        Row("trailers_only_error", .call, [5], .kept, .live),
        Row("http_200", .call, [2, 13], .kept, .live),
        Row("http_401", .call, [16], .kept, .live),
        Row("http_403", .call, [7], .kept, .live),
        Row("http_404", .call, [12], .kept, .live),
        Row("http_429", .call, [14], .kept, .live),
        Row("http_500", .call, [2], .kept, .live),
        Row("http_503", .call, [14], .kept, .live),
        Row("msg_compressed_no_encoding", .call, [13], .kept, .live),
        Row("msg_unknown_encoding", .call, [12, 13], .kept, .live),
        Row("msg_truncated", .call, [2, 13], .kept, .live),
        Row("msg_len_4g", .call, [8], .either, .live),
        Row("msg_over_4m", .call, [8], .either, .live),
        Row("msg_two", .call, [12, 13], .kept, .live),
        Row("msg_none_ok", .call, [12, 13], .kept, .live),
        Row("rst_internal", .call, [13], .kept, .live),
        Row("rst_refused", .call, [14], .kept, .live),
        Row("rst_cancel", .call, [1], .kept, .live),
        Row("rst_enhance_calm", .call, [8], .kept, .live),
        Row("rst_inadequate", .call, [7], .kept, .live),
        Row("close_before_response", .call, [14], .either, .mayDie),
        Row("close_mid_frame", .call, [13, 14], .either, .mayDie),
        Row("close_after_message", .call, [13, 14], .either, .mayDie),
        Row("goaway_last_0", .call, [14], .closed, .mayDie),
        Row("goaway_mid_stream", .call, [0], .closed, .live),
        Row("goaway_graceful_twice", .call, [0], .closed, .live),
        Row("goaway_then_close", .call, [14], .closed, .mayDie),
    ]

    @Test("with a suitable status, and closes the connection only if it must", arguments: rows)
    fileprivate func row(row: HostileRow) async throws {
        let misbehaviour = try #require(Misbehaviour(rawValue: row.name))
        let trial = try HostileTrial(misbehaviour.script)
        // If the server misbehaves from the first byte on, no other call can run on the connection.
        let outcome = try await trial.run(
            // A call that must not end with DEADLINE_EXCEEDED gets more time, for a busy machine.
            deadline: row.accepted.contains(4) ? row.deadline : .seconds(120),
            holdsAnother: row.start == .call,
            asksNext: row.start == .call || row.connection != .either)
        if row.start == .preface, row.others == .live {
            let others = try await HostileTrial.livesOn(misbehaviour.script)
            #expect(others)
        }
        #expect(row.accepted.contains(outcome.code), "\(outcome.code): \(outcome.reason)")
        switch row.connection {
        case .kept: #expect(outcome.isKept == true, "\(outcome.reason)")
        case .closed: #expect(outcome.isKept == false, "\(outcome.reason)")
        case .either: break
        }
        if row.others == .live, row.start == .call {
            #expect(outcome.othersLive == true, "\(outcome.reason)")
        }
        if let error = outcome.error { #expect(!error.message.isEmpty) }
    }

    @Test("for every kind of misbehaviour")
    func complete() {
        let names = Set(Self.rows.map(\.name)).union(["tls_hang"])
        #expect(names == Set(Misbehaviour.allCases.map(\.rawValue)))
    }
}

extension HostileTrial.Outcome {
    var reason: String { error.map { "\($0)" } ?? "OK" }
}
