import Synchronization

/// Finds mistakes in a message's list of fields that the compiler cannot see.
@usableFromInline
package enum MessageCheck {
    /// Returns a sentence for each mistake. Empty for a correct list.
    package static func problems<M: Message>(of type: M.Type) -> [String] {
        var message = M()
        var checker = FieldListChecker()
        do throws(WireError) { try message.visit(&checker) } catch {
            checker.problems.append("visit(_:) throws for a message with its defaults: \(error)")
        }
        return checker.problems
            + checker.oneofNumbers.indices.flatMap { oneofProblems(of: type, $0) }
    }

    /// Sets one field of a oneof and checks that exactly this field is found in it.
    private static func oneofProblems<M: Message>(of type: M.Type, _ index: Int) -> [String] {
        var message = M()
        var setter = OneofChecker(settingFieldAt: index)
        var reader = OneofChecker(settingFieldAt: nil)
        do throws(WireError) {
            try message.visit(&setter)
            try message.visit(&reader)
        } catch {
            return ["visit(_:) throws for a message with a oneof that is set: \(error)"]
        }
        let set = setter.numbers
        guard reader.numbers != set else { return [] }
        let found = reader.numbers.map(String.init).joined(separator: ", ")
        return [
            """
            the closures of oneof field \(set.first ?? 0) disagree: a value that one puts in is \
            found in \(found.isEmpty ? "no field" : "field \(found)")
            """
        ]
    }

    private static let checkedTypes = Mutex<Set<ObjectIdentifier>>([])

    /// In debug builds, checks the field list of a type when it is first encoded or decoded. Stops
    /// the program if the list is wrong.
    @usableFromInline
    static func onFirstUse<M: Message>(of type: M.Type) {
        // ThreadSanitizer does not support the standard library's lock, and would report each
        // access.
        #if !SWIFTLET_WATCHED_LOCKS
            check(type)
        #endif
    }

    private static func check<M: Message>(_ type: M.Type) {
        let isFirst = checkedTypes.withLock { $0.insert(ObjectIdentifier(type)).inserted }
        guard isFirst else { return }
        let problems = problems(of: type)
        guard !problems.isEmpty else { return }
        ProgramError.stop("the field list of \(type) is wrong: \(problems.joined(separator: "; "))")
    }
}
