/// Finds the fields whose message contains, directly or indirectly, the message that has the field. A struct
/// cannot store such a field without a box.
///
/// These are the fields between two messages of one group, where a group is the messages that all contain one
/// another: a strongly connected component. One pass over all messages finds the groups, with Tarjan's
/// algorithm. Its stack is an array, because a chain of messages can be long.
///
/// A required field cannot be absent, so it has a box only if its message contains the message of the field
/// through required fields alone. All other circles have a field that can be absent, and that has the box.
package struct RecursiveFields {
    /// The group of each message, by the index of the message.
    private let groups: [Int]
    /// The groups if messages had only their required fields.
    private let requiredGroups: [Int]

    package init(_ pool: SchemaPool) {
        groups = GroupSearch.groups(pool, requiredOnly: false)
        requiredGroups = GroupSearch.groups(pool, requiredOnly: true)
    }

    package func contains(_ field: FieldSchema) -> Bool {
        guard let message = field.storedMessage else { return false }
        let groups = field.isRequired ? requiredGroups : groups
        return groups[message] == groups[field.containingMessage.index]
    }
}

extension FieldSchema {
    /// The index of the message that is stored in place: not in a list and not in a map. Nil for other fields.
    fileprivate var storedMessage: Int? {
        type.isMessage && layout.isSingular ? layout.targetIndex : nil
    }
}

private struct GroupSearch {
    /// A message, and the messages that it contains and that are not visited from it yet.
    private struct Step {
        let message: Int
        var targets: ArraySlice<Int>
    }

    private let pool: SchemaPool
    private let requiredOnly: Bool
    private var groups: [Int]
    /// The position of each message in the order of the visits; nil before the visit.
    private var order: [Int?]
    /// The first position that each message can reach through messages without a group.
    private var lowest: [Int]
    private var visitCount = 0
    /// The visited messages without a group.
    private var open: [Int] = []
    /// The messages from the first one to the current one.
    private var path: [Step] = []

    static func groups(_ pool: SchemaPool, requiredOnly: Bool) -> [Int] {
        var search = GroupSearch(pool, requiredOnly: requiredOnly)
        search.run()
        return search.groups
    }

    private init(_ pool: SchemaPool, requiredOnly: Bool) {
        self.pool = pool
        self.requiredOnly = requiredOnly
        groups = Array(repeating: -1, count: pool.messageLayouts.count)
        order = Array(repeating: nil, count: pool.messageLayouts.count)
        lowest = Array(repeating: 0, count: pool.messageLayouts.count)
    }

    private mutating func run() {
        for message in pool.messageLayouts.indices where order[message] == nil {
            enter(message)
            while !path.isEmpty { advance() }
        }
    }

    private mutating func enter(_ message: Int) {
        order[message] = visitCount
        lowest[message] = visitCount
        visitCount += 1
        open.append(message)
        let targets = MessageSchema(pool: pool, index: message).fields.compactMap { field in
            requiredOnly && !field.isRequired ? nil : field.storedMessage
        }
        path.append(Step(message: message, targets: targets[...]))
    }

    /// Visits the next message that the current one contains, or ends the visit of the current one.
    private mutating func advance() {
        let last = path.count - 1
        let message = path[last].message
        guard let target = path[last].targets.popFirst() else { return leave(message) }
        if let position = order[target] {
            // A message with a group cannot reach this one.
            if groups[target] < 0 { lowest[message] = min(lowest[message], position) }
        } else {
            enter(target)
        }
    }

    private mutating func leave(_ message: Int) {
        path.removeLast()
        if let outer = path.last?.message { lowest[outer] = min(lowest[outer], lowest[message]) }
        guard lowest[message] == order[message] else { return }
        while let member = open.popLast() {
            groups[member] = message
            if member == message { break }
        }
    }
}
