import Synchronization

/// Numbers channels, subchannels and connections: no two in a process have the same number.
enum DiagnosticID {
    private static let last = Atomic<UInt64>(0)

    static func next() -> UInt64 { last.wrappingAdd(1, ordering: .relaxed).newValue }
}
