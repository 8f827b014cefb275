import Swiftlet
import SwiftletDynamic

/// The answer of a mock server to a call.
struct CannedAnswer: Sendable {
    /// The fields that the first request of the call must have. If nil, the answer fits every call.
    var condition: DynamicMessage?
    /// The time before each reply, and before a status that is an error.
    var delay = Duration.zero
    var initialMetadata = Metadata()
    var replies: [DynamicMessage] = []
    /// The status with its details, and the trailing metadata; nil for OK.
    var error: RPCError?
    var trailingMetadata = Metadata()

    /// Whether the request has all fields of the condition, with its values.
    func fits(_ request: DynamicMessage?) -> Bool {
        guard let condition else { return true }
        guard let request else { return false }
        let present = request.presentFields
        return condition.presentFields.allSatisfy { field, value in
            present.contains { $0.field == field && $0.value == value }
        }
    }
}

/// The answers of one method.
struct CannedAnswers: Sendable {
    var answers: [CannedAnswer]

    /// The index of the answer to a call.
    ///
    /// Answers whose condition the request fulfils precede answers without a condition. If several answers
    /// remain, `callNumber` selects one of them in turn.
    ///
    /// - Parameters:
    ///   - request: The first request of the call; nil for a call without one.
    ///   - callNumber: The count of calls of the method before this one.
    func index(for request: DynamicMessage?, callNumber: Int) -> Int? {
        let fitting = answers.indices.filter { answers[$0].fits(request) }
        let special = fitting.filter { answers[$0].condition != nil }
        let candidates = special.isEmpty ? fitting : special
        return candidates.isEmpty ? nil : candidates[callNumber % candidates.count]
    }
}
