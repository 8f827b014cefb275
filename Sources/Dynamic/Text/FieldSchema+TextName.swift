extension FieldSchema {
    /// The name in the text format: a group has the name of its message, and so has an extension of a message set that
    /// its message declares.
    var textName: String {
        if isNamedByMessage, let message { return "[\(message.fullName)]" }
        if isExtension { return "[\(fullName)]" }
        return isGroupLike ? message?.name ?? name : name
    }

    /// Whether the field is an extension of a message set that is declared in the message of its type.
    var isNamedByMessage: Bool {
        isExtension && containingMessage.isMessageSet && type == .message && !isList
            && parent == message
    }
}
