import Swiftlet
import SwiftletStyles
import Synchronization
import Testing

@Suite("A writeable", .timeLimit(.minutes(5)))
struct WriteableTests {
    @Test("of one handler gives it values and the end as events")
    func events() throws {
        let heard = Mutex<[String]>([])
        func writeable() -> HandlerWriteable<Int> {
            HandlerWriteable(event: { event in
                let word =
                    switch event {
                    case .value(let value): "\(value)"
                    case .done: "done"
                    case .error(let error): "\(error.code): \(error.message)"
                    }
                heard.withLock { $0.append(word) }
            })
        }
        try SequenceWriter([1, 2]).start(with: writeable())
        #expect(heard.withLock { $0 } == ["1", "2", "done"])
        let pipe = PipeWriter<Int>()
        try pipe.start(with: writeable())
        pipe.write(3)
        pipe.writesFinished(RPCError(.aborted, "enough"))
        #expect(heard.withLock { $0.dropFirst(3) } == ["3", "ABORTED: enough"])
    }

    @Test("of two handlers gives one the values and the other the end")
    func handlers() throws {
        let heard = Mutex<[String]>([])
        func writeable() -> HandlerWriteable<Int> {
            HandlerWriteable(
                value: { value in heard.withLock { $0.append("\(value)") } },
                completion: { error in heard.withLock { $0.append("\(error?.code ?? .ok)") } })
        }
        try SequenceWriter([1]).start(with: writeable())
        writeable().writesFinished(RPCError(.aborted, "enough"))
        #expect(heard.withLock { $0 } == ["1", "OK", "ABORTED"])
    }

    private static let outcomes: [([Int], RPCError?, String)] = [
        ([7], nil, "7"),
        ([], nil, "UNIMPLEMENTED"),
        ([7, 8], nil, "UNIMPLEMENTED"),
        ([], RPCError(.aborted, "enough"), "ABORTED"),
        ([7], RPCError(.aborted, "enough"), "ABORTED"),
        ([7, 8], RPCError(.aborted, "enough"), "ABORTED"),
    ]

    @Test("of a single value has the value, or an error if there is not exactly one")
    func single() {
        for (values, error, outcome) in Self.outcomes {
            let heard = Mutex<[String]>([])
            let writeable = SingleValueWriteable<Int> { result in
                let word =
                    switch result {
                    case .success(let value): "\(value)"
                    case .failure(let error): "\(error.code)"
                    }
                heard.withLock { $0.append(word) }
            }
            for value in values { writeable.write(value) }
            #expect(heard.withLock { $0 }.isEmpty, "\(values)")
            writeable.writesFinished(error)
            #expect(heard.withLock { $0 } == [outcome], "\(values) \(outcome)")
        }
    }
}
