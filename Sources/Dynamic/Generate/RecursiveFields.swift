/// Finds the fields whose message contains, directly or indirectly, the message that has the field. A struct
/// cannot store such a field without a box.
struct RecursiveFields {
    /// The messages that each message contains, directly or indirectly, without a list or a map in between.
    /// Keyed by the full name.
    private var reachable: [String: Set<String>] = [:]

    mutating func contains(_ field: FieldSchema) -> Bool {
        guard let message = field.message, !field.isList, !field.isMap else { return false }
        let container = field.containingMessage.fullName
        return message.fullName == container || messages(in: message).contains(container)
    }

    private mutating func messages(in message: MessageSchema) -> Set<String> {
        if let known = reachable[message.fullName] { return known }
        var found: Set<String> = []
        var pending = [message]
        while let next = pending.popLast() {
            for field in next.fields where !field.isList && !field.isMap {
                guard let target = field.message, found.insert(target.fullName).inserted
                else { continue }
                pending.append(target)
            }
        }
        reachable[message.fullName] = found
        return found
    }
}
