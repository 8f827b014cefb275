public import SwiftletCore
import SwiftletTransport
import Synchronization

/// A failure that the server causes on purpose, and the calls that it applies to.
///
/// ```swift
/// let server = try LoopbackServer { server in
///     server.addGreeter()
///     server.faults = [
///         .on("/helloworld.Greeter/SayHello", call: 2, .reset(.internalError)),
///         .randomly(0.1, seed: 7, .delay(.milliseconds(20))),
///     ]
/// }
/// ```
///
/// When several faults match a call, the first of them applies. The server refuses a fault with
/// INVALID_ARGUMENT if no method has its path. ``LoopbackServer/unusedFaults`` lists the faults that
/// never applied. For ways to break HTTP/2 itself see ``Misbehaviour``.
///
/// A request that is not gRPC is a call of its path, without the query. The faults that are about messages,
/// the content type or a status apply only to gRPC. HTTP/1.1 has no streams, no GOAWAY and no windows: there,
/// the faults that reset, refuse, cut, slow or damage an answer close the connection without one. A GOAWAY
/// after which the call is answered closes it after the answer.
public struct Fault: Sendable {
    /// The kind of failure.
    @nonexhaustive
    public enum Kind: Hashable, Sendable {
        /// The call fails with this status; its handler is not called.
        case status(StatusCode, String = "")
        /// The handler is called after a delay.
        case delay(Duration)
        /// The handler is called when the test opens the gate.
        case pause(ReplyGate)
        /// The call is never answered.
        case stall
        /// The connection is closed without an answer.
        case drop
        /// The connection is closed after this number of messages of the answer.
        case dropAfterMessages(Int)
        /// The connection is closed after this number of bytes of the answer, frame headers included;
        /// usually in the middle of a frame.
        case dropAfterBytes(Int)
        /// From this answer on, all output of the connection is sent in pieces of this number of bytes,
        /// with a pause after each.
        case drip(bytes: Int, every: Duration)
        /// SETTINGS_INITIAL_WINDOW_SIZE of the connection is lowered to this number of bytes, which also
        /// lowers the windows of open streams. The answer is normal.
        case shrinkWindow(to: Int)
        /// The stream is reset instead of answered.
        case reset(ResetCode)
        /// The stream is reset with REFUSED_STREAM, so that the client may send the call again.
        case refuse
        /// The server sends GOAWAY.
        case goAway(GoAway = .graceful)
        /// The answer has this content type.
        case contentType(String)
        /// The answer ends without a status.
        case missingTrailers
        /// The first message of the answer is cut in half, and the status is OK.
        case truncatedMessage
        /// Bytes that are not HTTP/2 replace the answer.
        case garbage
    }

    /// The ways to send GOAWAY (RFC 9113 §6.8).
    @nonexhaustive
    public enum GoAway: Hashable, Sendable {
        /// In two steps; this call is answered.
        case graceful
        /// In one step, with an error code; this call is answered.
        case atOnce(ResetCode)
        /// In one step. The last stream that the GOAWAY names is below the stream of this call, so the client
        /// may send the call on another connection.
        case beforeThisCall
        /// In one step, with an error code. The connection is then closed without an answer.
        case thenClose(ResetCode)
    }

    /// The error codes of RST_STREAM and GOAWAY (RFC 9113 §7).
    public enum ResetCode: UInt32, Hashable, Sendable, CaseIterable {
        case noError = 0
        case protocolError, internalError, flowControlError, settingsTimeout, streamClosed
        case frameSizeError, refusedStream, cancel, compressionError, connectError
        case enhanceYourCalm, inadequateSecurity, http11Required
    }

    enum Occasion: Sendable {
        case always
        /// The calls with these numbers; the first is 1.
        case calls(Set<Int>)
        case randomly(Double, seed: UInt64)
    }

    let path: String?
    let occasion: Occasion
    let kind: Kind

    /// Applies to every call.
    public static func always(_ kind: Kind) -> Fault {
        Fault(path: nil, occasion: .always, kind: kind)
    }

    /// Applies to every call of the method with this path.
    public static func on(_ path: String, _ kind: Kind) -> Fault {
        Fault(path: path, occasion: .always, kind: kind)
    }

    /// Applies to one call of a method; the first is 1.
    public static func on(_ path: String, call number: Int, _ kind: Kind) -> Fault {
        on(path, calls: [number], kind)
    }

    /// Applies to some calls of a method; the first is 1.
    public static func on(_ path: String, calls numbers: Set<Int>, _ kind: Kind) -> Fault {
        Fault(path: path, occasion: .calls(numbers), kind: kind)
    }

    /// Applies to the call with this number, counted from 1 over the calls of all methods.
    public static func call(_ number: Int, _ kind: Kind) -> Fault {
        Fault(path: nil, occasion: .calls([number]), kind: kind)
    }

    /// Applies to a random share of calls, from 0 to 1. The same seed selects the same calls.
    public static func randomly(
        _ share: Double, on path: String? = nil, seed: UInt64, _ kind: Kind
    ) -> Fault {
        Fault(path: path, occasion: .randomly(share, seed: seed), kind: kind)
    }
}

extension Fault.Kind {
    /// Whether the failure is one of gRPC, which the answer to another request cannot have.
    var isOfGRPC: Bool {
        switch self {
        case .status, .dropAfterMessages, .contentType, .missingTrailers, .truncatedMessage: true
        case .delay, .pause, .stall, .drop, .dropAfterBytes, .drip, .shrinkWindow, .reset, .refuse,
            .goAway, .garbage:
            false
        }
    }
}

extension Fault: CustomStringConvertible {
    /// The fault as text: `status(…) on /package.Service/Method, calls [2]`.
    public var description: String {
        let place = path.map { " on \($0)" } ?? ""
        return switch occasion {
        case .always: "\(kind)\(place)"
        case .calls(let numbers): "\(kind)\(place), calls \(numbers.inOrder())"
        case .randomly(let share, let seed): "\(kind)\(place), share \(share), seed \(seed)"
        }
    }
}
