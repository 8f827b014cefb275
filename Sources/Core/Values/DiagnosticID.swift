import Synchronization

/// Numbers channels, subchannels and connections: no two in a process have the same number.
package enum DiagnosticID {
    private static let last = Atomic<UInt64>(0)

    package static func next() -> UInt64 { last.wrappingAdd(1, ordering: .relaxed).newValue }
}
