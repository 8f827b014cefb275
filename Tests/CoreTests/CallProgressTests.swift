import Testing

@testable import SwiftletInterceptors

@Suite("The order of events between neighbours of a chain")
struct CallProgressTests {
    typealias State = CallProgress.State

    /// Each state, with the requests that lead to it.
    static let ways: [(State, [CallProgress.Request])] = [
        (.initialised, []), (.started, [.start]), (.halfClosed, [.start, .finish]),
        (.finished, [.start, .cancel]),
    ]

    static let allowedRequests: [State: Set<CallProgress.Request>] = [
        .initialised: [.start, .receiveNext, .cancel],
        .started: [.write, .finish, .receiveNext, .cancel],
        .halfClosed: [.receiveNext, .cancel],
    ]

    static let next: [State: [CallProgress.Request: State]] = [
        .initialised: [.start: .started, .cancel: .finished],
        .started: [.finish: .halfClosed, .cancel: .finished],
        .halfClosed: [.cancel: .finished],
    ]

    @Test("allows the requests of the table", arguments: ways)
    func requests(state: State, way: [CallProgress.Request]) {
        for request in CallProgress.Request.allCases {
            var progress = CallProgress()
            for step in way { #expect(progress.admit(step) == .pass) }
            #expect(progress.state == state)
            let verdict = progress.admit(request)
            if state == .finished {
                #expect(verdict == .ignore)
            } else if state == .initialised, request == .write {
                #expect(verdict == .keep)
                #expect(progress.state == state)
            } else if Self.allowedRequests[state]?.contains(request) == true {
                #expect(verdict == .pass)
                #expect(progress.state == Self.next[state]?[request] ?? state)
            } else {
                guard case .refuse(let reason) = verdict else {
                    Issue.record("\(request) passes in \(state)")
                    continue
                }
                #expect(reason.contains(request.rawValue) && reason.contains("\(state)"))
                #expect(progress.state == state)
            }
        }
    }

    @Test("allows no response before the start", arguments: CallProgress.Response.allCases)
    func early(response: CallProgress.Response) {
        var progress = CallProgress()
        guard case .refuse = progress.admit(response) else {
            Issue.record("\(response) passes before the start")
            return
        }
    }

    @Test("allows initial metadata once, then messages, then one close")
    func order() {
        for way in Self.ways.dropFirst().dropLast() {
            var progress = CallProgress()
            for step in way.1 { _ = progress.admit(step) }
            guard case .refuse = progress.admit(.message) else {
                Issue.record("a message passes before initial metadata")
                continue
            }
            #expect(progress.admit(.initialMetadata) == .pass)
            guard case .refuse = progress.admit(.initialMetadata) else {
                Issue.record("initial metadata passes twice")
                continue
            }
            #expect(progress.admit(.message) == .pass)
            #expect(progress.admit(.writeDone) == .pass)
            #expect(progress.admit(.close) == .pass)
            for response in CallProgress.Response.allCases {
                #expect(progress.admit(response) == .ignore)
            }
        }
    }
}
