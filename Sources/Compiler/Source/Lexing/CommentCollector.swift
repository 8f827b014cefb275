/// The comments between two tokens, by the token that they belong to.
struct ProtoComments {
    /// The comment that belongs to the token before.
    var trailing = ""
    /// The comments that belong to no token; paragraphs in their order.
    var detached: [String] = []
    /// The comment that belongs to the token after.
    var leading = ""
}

/// Assigns the comments between two tokens to one of the tokens, while the comments are read.
///
/// The first comment belongs to the token before unless an empty line separates them. The last one
/// belongs to the token after unless an empty line follows. All other comments are detached.
struct CommentCollector {
    private var result = ProtoComments()
    private var pending: [UInt8]?
    private var pendingIsLine = false
    private var canAttachToPrevious = true
    private var hasTrailing = false
    private var count = 0

    /// Adds one comment. Line comments on consecutive lines are one comment.
    mutating func add(_ content: [UInt8], isLine: Bool) {
        if pending != nil, !(isLine && pendingIsLine) { separate() }
        pendingIsLine = isLine
        // Moved out of the optional, so that it has one owner and grows in place.
        var grown = pending.take() ?? []
        grown += content
        pending = grown
    }

    /// Ends the pending comment. It does not belong to the next token.
    mutating func separate() {
        guard let content = pending.take() else { return }
        let text = String(decoding: content, as: UTF8.self)
        if canAttachToPrevious {
            result.trailing += text
            hasTrailing = true
            canAttachToPrevious = false
        } else {
            result.detached.append(text)
        }
        count += 1
    }

    /// Makes later comments not belong to the token before.
    mutating func detachFromPrevious() { canAttachToPrevious = false }

    /// Detaches the comment if it is the only one between two tokens of one line.
    mutating func detachIfAlone() {
        guard count + (pending == nil ? 0 : 1) == 1 else { return }
        if hasTrailing {
            result.detached.insert(result.trailing, at: 0)
            result.trailing = ""
        }
        separate()
    }

    consuming func finish() -> ProtoComments {
        if let pending { result.leading = String(decoding: pending, as: UTF8.self) }
        return result
    }
}
