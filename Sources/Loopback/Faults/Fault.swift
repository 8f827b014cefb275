public import SwiftletCore
import Synchronization

/// Something that goes wrong on purpose, and for which calls.
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
/// Of several that fit a call the first counts. Ways to break HTTP/2 itself are a
/// ``Misbehaviour``'s.
public struct Fault: Sendable {
    /// What goes wrong.
    public enum Kind: Hashable, Sendable {
        /// The call fails with this status, and its handler never hears of it.
        case status(StatusCode, String = "")
        /// The answer begins later.
        case delay(Duration)
        /// No answer, ever.
        case stall
        /// The connection is closed before an answer.
        case drop
        /// The connection is closed behind so many messages of the answer.
        case dropAfterMessages(Int)
        /// The connection is closed behind so many octets of the answer, frames and all: in the
        /// middle of a frame, most likely.
        case dropAfterOctets(Int)
        /// The answer leaves so many octets at a time, with a pause between. The connection's
        /// other calls crawl with it from then on.
        case drip(octets: Int, every: Duration)
        /// Streams that begin later may send so many octets before they have to wait for the
        /// server, and this one too; the connection stays like that. The answer is as it should
        /// be.
        case shrinkWindow(to: Int)
        /// The stream is reset instead of answered.
        case reset(ResetCode)
        /// The stream is reset as one that was not looked at, and may be sent again.
        case refuse
        /// The server says goodbye to the connection.
        case goAway(Farewell = .graceful)
        /// The answer is of another content type.
        case contentType(String)
        /// The answer ends without a status.
        case missingTrailers
        /// The first message of the answer is cut in half, and the status is OK.
        case truncatedMessage
        /// Octets that are no HTTP/2 take the place of the answer.
        case garbage
    }

    /// How a server says goodbye (RFC 9113 §6.8).
    public enum Farewell: Hashable, Sendable {
        /// In two steps, and this call is answered yet.
        case graceful
        /// At once with a reason; this call is answered yet.
        case atOnce(ResetCode)
        /// At once, without having looked at this call: it may be sent elsewhere.
        case beforeThisCall
        /// At once, and the connection is closed without an answer.
        case thenClose(ResetCode)
    }

    /// Why a stream is reset, or a connection left (RFC 9113 §7).
    public enum ResetCode: UInt32, Hashable, Sendable, CaseIterable {
        case noError = 0
        case protocolError, internalError, flowControlError, settingsTimeout, streamClosed
        case frameSizeError, refusedStream, cancel, compressionError, connectError
        case enhanceYourCalm, inadequateSecurity, http11Required
    }

    fileprivate enum Occasion: Sendable {
        case always
        /// The calls of these numbers; the first is 1.
        case calls(Set<Int>)
        case randomly(Double, seed: UInt64)
    }

    fileprivate let path: String?
    fileprivate let occasion: Occasion
    fileprivate let kind: Kind

    /// For every call.
    public static func always(_ kind: Kind) -> Fault {
        Fault(path: nil, occasion: .always, kind: kind)
    }

    /// For every call of a method, named by its path.
    public static func on(_ path: String, _ kind: Kind) -> Fault {
        Fault(path: path, occasion: .always, kind: kind)
    }

    /// For one call of a method; the first is 1.
    public static func on(_ path: String, call number: Int, _ kind: Kind) -> Fault {
        on(path, calls: [number], kind)
    }

    /// For some calls of a method; the first is 1.
    public static func on(_ path: String, calls numbers: Set<Int>, _ kind: Kind) -> Fault {
        Fault(path: path, occasion: .calls(numbers), kind: kind)
    }

    /// For one of all the server's calls; the first is 1.
    public static func call(_ number: Int, _ kind: Kind) -> Fault {
        Fault(path: nil, occasion: .calls([number]), kind: kind)
    }

    /// For a share of all calls, chosen by chance: the same ones for the same seed.
    public static func randomly(
        _ share: Double, on path: String? = nil, seed: UInt64, _ kind: Kind
    ) -> Fault {
        Fault(path: path, occasion: .randomly(share, seed: seed), kind: kind)
    }
}

/// The faults of a server, and how often each was asked.
final class FaultBook: Sendable {
    private struct Entry {
        var fault: Fault
        var callCount = 0
        var chance: SplitMix64
    }

    private let entries: Mutex<[Entry]>

    init(_ faults: [Fault]) { entries = Mutex(Self.entries(of: faults)) }

    /// From now on these count, and calls are counted anew.
    func replace(with faults: [Fault]) {
        entries.withLock { $0 = Self.entries(of: faults) }
    }

    private static func entries(of faults: [Fault]) -> [Entry] {
        faults.map { fault in
            var seed: UInt64 = 0
            if case .randomly(_, let own) = fault.occasion { seed = own }
            return Entry(fault: fault, chance: SplitMix64(state: seed))
        }
    }

    /// What is to go wrong with the next call of a path.
    func next(for path: String) -> Fault.Kind? {
        entries.withLock { entries in
            var found: Fault.Kind?
            for index in entries.indices {
                guard entries[index].fault.path.map({ $0 == path }) ?? true else { continue }
                entries[index].callCount += 1
                let isMeant =
                    switch entries[index].fault.occasion {
                    case .always: true
                    case .calls(let numbers): numbers.contains(entries[index].callCount)
                    case .randomly(let share, _):
                        Double.random(in: 0..<1, using: &entries[index].chance) < share
                    }
                if isMeant, found == nil { found = entries[index].fault.kind }
            }
            return found
        }
    }
}

/// Sebastiano Vigna's generator: small, and the same everywhere for the same seed.
private struct SplitMix64: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }
}
