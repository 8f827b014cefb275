/// How many octets of DATA one side may still send, on one stream or on the connection.
///
/// Invariant: `−2³¹ < available < 2³¹`, so `Int32` holds it and no operation below can overflow.
/// It starts in `0..<2³¹`. It grows only in ``grow(by:)`` and ``adjust(by:)``, which refuse to
/// pass the top. It turns negative only in ``adjust(by:)``, when the peer lowers
/// SETTINGS_INITIAL_WINDOW_SIZE below what is already in flight (RFC 9113 §6.9.2).
package struct FlowControlWindow: Hashable, Sendable {
    /// What both windows hold before anything was agreed on (§6.9.2).
    package static let defaultByteCount: Int32 = 65_535

    package private(set) var available: Int32

    package init(initial: Int32 = FlowControlWindow.defaultByteCount) {
        precondition(initial >= 0, "a window cannot begin negative")
        available = initial
    }

    /// Thrown without a reach: the window does not know whether it belongs to a stream or to the
    /// connection. Its owner does.
    package struct Overflow: Error {}
}

extension FlowControlWindow {
    /// Spends octets that the caller has found to be available.
    package mutating func spend(_ byteCount: Int) {
        precondition(byteCount >= 0 && byteCount <= Int(max(0, available)), "beyond the window")
        available -= Int32(byteCount)
    }

    /// Applies a WINDOW_UPDATE.
    package mutating func grow(by increment: UInt32) throws(Overflow) {
        try adjust(by: Int64(increment))
    }

    /// Applies a change of SETTINGS_INITIAL_WINDOW_SIZE, which may be negative.
    ///
    /// A peer that lowers the setting again and again cannot pass the bottom: the changes to one
    /// window add up to the difference of two settings, and what was spent was once granted.
    package mutating func adjust(by delta: Int64) throws(Overflow) {
        let moved = Int64(available) + delta
        guard moved <= Int64(Int32.max), moved > Int64(Int32.min) else { throw Overflow() }
        available = Int32(moved)
    }
}
