/// Waits until `condition` holds, at most for as long as the suite's time limit lets it.
func eventually(_ condition: () -> Bool) async throws {
    while !condition() { try await Task.sleep(for: .milliseconds(1)) }
}
