import Synchronization

/// Finds mistakes in a message's list of fields that the compiler cannot see, and that do not stop the program when the
/// list is made.
package enum MessageCheck {
    /// Numbers that protobuf reserves for itself. protoc refuses them.
    private static let reservedNumbers: ClosedRange<UInt32> = 19_000...19_999

    /// Returns a sentence for each mistake. Empty for a correct list.
    package static func problems<M: Message>(of type: M.Type) -> [String] {
        unsafe problems(M.layout.table)
    }

    private static let checkedTables = Mutex<Set<UInt>>([])

    /// In debug builds, checks the layout of a type when it is first encoded or decoded. Stops the program if it is
    /// wrong.
    static func onFirstUse(_ table: UnsafePointer<FieldTable>) {
        // ThreadSanitizer does not support the standard library's lock, and would report each access.
        #if DEBUG && !SWIFTLET_WATCHED_LOCKS
            let isFirst = checkedTables.withLock { $0.insert(UInt(bitPattern: table)).inserted }
            guard isFirst else { return }
            let problems = unsafe problems(table)
            guard !problems.isEmpty else { return }
            let name = unsafe table.pointee.type._withUnsafeGuaranteedRef { $0.name }
            ProgramError.stop("the layout of \(name) is wrong: \(problems.joined(separator: "; "))")
        #endif
    }

    private static func problems(_ table: UnsafePointer<FieldTable>) -> [String] {
        var problems: [String] = []
        unsafe table.pointee.type._withUnsafeGuaranteedRef { type in
            unsafe type.withNew { message in
                for index in unsafe 0..<table.pointee.count {
                    let entry = unsafe table.pointee.entries[index]
                    let place = unsafe UnsafeRawPointer(message) + Int(entry.offset)
                    if reservedNumbers.contains(entry.number) {
                        problems.append("field number \(entry.number) is reserved by protobuf")
                    }
                    guard unsafe !isDefault(entry, place) else { continue }
                    problems.append(
                        "field \(entry.number) is set in a new message, so a default that was not sent is lost"
                    )
                }
            }
        }
        return problems + (unsafe oneofProblems(table))
    }

    /// Whether a field of a new message is one that is not sent.
    private static func isDefault(_ entry: TableEntry, _ place: UnsafeRawPointer) -> Bool {
        switch entry.shape {
        case .required: return true
        case .map: return unsafe entry.detail(as: MapField.self).isEmpty(place)
        default:
            var isDefault = true
            unsafe FieldValue.forEach(entry, place) { _, _ in isDefault = false }
            return isDefault
        }
    }

    /// Sets each field of a oneof and checks that exactly this field is found in it.
    private static func oneofProblems(_ table: UnsafePointer<FieldTable>) -> [String] {
        let entries = unsafe (0..<table.pointee.count).map { unsafe table.pointee.entries[$0] }
        let fields = entries.filter { $0.shape == .oneof }
        return fields.compactMap { field in
            var found: [UInt32] = []
            unsafe table.pointee.type._withUnsafeGuaranteedRef { type in
                unsafe type.withNew { message in
                    // An empty body: the value of the field is a new one. It throws nothing.
                    try? unsafe field.detail(as: OneofField.self).functions.pointee.update(
                        message + Int(field.offset)
                    ) { _ in }
                    for other in fields {
                        unsafe other.detail(as: OneofField.self)
                            .functions.pointee.visit(message + Int(other.offset)) { _ in
                                found.append(other.number)
                            }
                    }
                }
            }
            guard found != [field.number] else { return nil }
            let names = found.map(String.init).joined(separator: ", ")
            return """
                the closures of oneof field \(field.number) disagree: a value that one puts in is \
                found in \(found.isEmpty ? "no field" : "field \(names)")
                """
        }
    }
}
