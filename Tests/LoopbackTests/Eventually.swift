import Swiftlet

/// Waits until `condition` is true, at most until the suite's time limit.
func eventually(_ condition: () -> Bool) async throws {
    while !condition() { try await Task.sleep(for: .milliseconds(1)) }
}

/// Repeats `trial` with a longer and longer timeout, until what must happen before the deadline has happened: on a
/// busy machine a short deadline passes first.
func withGrowingTimeout<Result>(
    until isComplete: (Result) -> Bool, _ trial: (CallOptions) async throws -> Result
) async throws -> Result {
    var timeout = Duration.milliseconds(100)
    while true {
        let result = try await trial(.with { $0.timeout = timeout })
        if isComplete(result) || timeout > .seconds(60) { return result }
        timeout *= 3
    }
}
