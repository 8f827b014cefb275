/// Waits until `condition` is true, at most until the suite's time limit.
func eventually(_ condition: () -> Bool) async throws {
    while !condition() { try await Task.sleep(for: .milliseconds(1)) }
}
