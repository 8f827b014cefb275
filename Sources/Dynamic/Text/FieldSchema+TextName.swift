extension FieldSchema {
    /// The name in the text format: a group has the name of its message.
    var textName: String {
        if isExtension { return "[\(fullName)]" }
        return isGroupLike ? message?.name ?? name : name
    }
}
