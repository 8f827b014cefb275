/// What the peer may still send us, and what we owe it: the receiving side of flow control, of a
/// stream or of the connection (RFC 9113 §6.9).
///
/// The window is given back as octets are *consumed*, and in few large updates: one whenever half
/// of the target has been consumed. A reader that does not read gives nothing back, and so stops
/// its sender.
package struct ReceiveWindow: Hashable, Sendable {
    /// What the peer may send before it has to wait. Below zero only after the setting was
    /// lowered under data in flight.
    package private(set) var available: Int32
    /// Octets received and not yet consumed.
    package private(set) var held: Int32 = 0
    /// Octets consumed and not yet given back.
    private var owed: Int32 = 0
    /// How large the window is meant to be.
    package private(set) var target: Int32

    package init(byteCount: Int32) {
        precondition(byteCount >= 0)
        available = byteCount
        target = byteCount
    }
}

extension ReceiveWindow {
    /// Takes octets that arrived. False when the peer had no right to send them.
    package mutating func receive(_ byteCount: Int) -> Bool {
        guard byteCount <= Int(max(0, available)) else { return false }
        available -= Int32(byteCount)
        held += Int32(byteCount)
        return true
    }

    /// Notes octets as consumed. Returns the increment to announce, or nil when it can wait.
    package mutating func consume(_ byteCount: Int) -> UInt32? {
        precondition(byteCount >= 0 && byteCount <= Int(held), "consumed what was not received")
        held -= Int32(byteCount)
        owed += Int32(byteCount)
        return takeOwedIfDue()
    }

    /// Makes the window larger by `growth` at once: what an update on the wire will say.
    package mutating func enlarge(by growth: Int32) -> UInt32? {
        let (sum, overflow) = target.addingReportingOverflow(growth)
        guard growth > 0, !overflow else { return nil }
        target = sum
        owed += growth
        return takeOwed()
    }

    /// Follows a change of our SETTINGS_INITIAL_WINDOW_SIZE that the peer has acknowledged, which
    /// moves the window without an update on the wire (§6.9.2). Returns the increment to announce
    /// when what is owed, little as it was before, is half of a window that has become smaller:
    /// nothing else would bring it back, for a sender without room sends nothing to be consumed.
    package mutating func adjust(by delta: Int32) -> UInt32? {
        available = Int32(clamping: Int(available) + Int(delta))
        target = max(0, Int32(clamping: Int(target) + Int(delta)))
        return takeOwedIfDue()
    }

    private mutating func takeOwedIfDue() -> UInt32? {
        owed >= max(1, target / 2) ? takeOwed() : nil
    }

    private mutating func takeOwed() -> UInt32? {
        guard owed > 0 else { return nil }
        defer { owed = 0 }
        available += owed
        return UInt32(owed)
    }
}
