import SwiftletTransport

/// Several calls with one completion, when all of them have ended. The results are in the order in
/// which the calls were added.
///
/// ```swift
/// var group = CallGroup<HelloReply>(cancelsRestOnError: true)
/// for name in names { group.add { try await greeter.sayHello(.init(name: name)) } }
/// let replies = try await group.values()
/// ```
public struct CallGroup<Value: Sendable>: Sendable {
    /// Whether the first error cancels the other calls. The default is false.
    public var cancelsRestOnError: Bool
    private var calls: [@Sendable () async throws -> Value] = []

    public init(cancelsRestOnError: Bool = false) { self.cancelsRestOnError = cancelsRestOnError }

    /// The number of calls that were added.
    public var count: Int { calls.count }

    /// Adds a call. It starts when the group runs.
    public mutating func add(_ call: @escaping @Sendable () async throws -> Value) {
        calls.append(call)
    }
}

extension CallGroup {
    /// Runs all calls at once, and returns their results. Cancelling the task cancels the calls.
    public func results() async -> [Result<Value, any Error>] {
        await run().results
    }

    /// Runs all calls at once, and returns their values, or throws the first error.
    public func values() async throws -> [Value] {
        let (results, firstError) = await run()
        if let firstError { throw firstError }
        return try results.map { try $0.get() }
    }

    private func run() async -> (results: [Result<Value, any Error>], firstError: (any Error)?) {
        typealias Ended = (index: Int, result: Result<Value, any Error>)
        return await withTaskGroup(of: Ended.self) { group in
            for (index, call) in calls.enumerated() {
                group.addTask {
                    do {
                        return (index, .success(try await call()))
                    } catch {
                        return (index, .failure(error))
                    }
                }
            }
            var ended: [Int: Result<Value, any Error>] = [:]
            var firstError: (any Error)?
            for await (index, result) in group {
                ended[index] = result
                if case .failure(let error) = result, firstError == nil {
                    firstError = error
                    if cancelsRestOnError { group.cancelAll() }
                }
            }
            return (ended.inOrder { $0.key < $1.key }.map(\.value), firstError)
        }
    }

    /// Runs all calls at once, and calls `completion` once with their results. For code without
    /// `await`.
    ///
    /// - Returns: A function that cancels the calls that still run.
    @discardableResult
    public func start(
        completion: @escaping @Sendable ([Result<Value, any Error>]) -> Void
    ) -> @Sendable () -> Void {
        let task = Task { completion(await results()) }
        return { task.cancel() }
    }
}
