/// How many bytes of DATA one side may send, on a stream or on the connection.
///
/// Invariant: `−2³¹ < available < 2³¹`, so `Int32` suffices and no operation overflows. The initial
/// value is in `0..<2³¹`. ``grow(by:)`` and ``adjust(by:)`` throw instead of exceeding the upper
/// bound. Only ``adjust(by:)`` can make the window negative: the peer may lower
/// SETTINGS_INITIAL_WINDOW_SIZE below the number of sent bytes (RFC 9113 §6.9.2).
struct FlowControlWindow: Sendable {
    /// The initial size of all windows (§6.9.2).
    static let defaultByteCount: Int32 = 65_535

    private(set) var available: Int32

    init(initial: Int32 = FlowControlWindow.defaultByteCount) {
        precondition(initial >= 0, "a window cannot begin negative")
        available = initial
    }

    /// The window exceeds its upper bound. The owner of the window determines whether a stream or
    /// the connection ends.
    struct Overflow: Error {}
}

extension FlowControlWindow {
    /// Subtracts bytes. The caller must have checked that they are available.
    mutating func spend(_ byteCount: Int) {
        precondition(byteCount >= 0 && byteCount <= Int(max(0, available)), "beyond the window")
        available -= Int32(byteCount)
    }

    /// Applies a WINDOW_UPDATE.
    mutating func grow(by increment: UInt32) throws(Overflow) {
        try adjust(by: Int64(increment))
    }

    /// Applies a change of SETTINGS_INITIAL_WINDOW_SIZE, which may be negative.
    ///
    /// A peer cannot exceed the lower bound by lowering the setting repeatedly: the changes of one
    /// window add up to the difference of two settings.
    mutating func adjust(by delta: Int64) throws(Overflow) {
        let moved = Int64(available) + delta
        guard moved <= Int64(Int32.max), moved > Int64(Int32.min) else { throw Overflow() }
        available = Int32(moved)
    }
}
