/// Mistakes in a message type, which no value from a peer can cause. They stop the program and print a
/// message, even in release builds. A `precondition` prints no message in a release build.
@usableFromInline
package enum ProgramError {
    @usableFromInline
    @inline(never)
    package static func stop(_ sentence: String) -> Never { fatalError(sentence) }

    @usableFromInline
    @inline(never)
    static func stopIllegalNumber(_ number: UInt32) -> Never {
        stop("field number \(number) is not legal: field numbers are 1...536870911")
    }

    @usableFromInline
    @inline(never)
    static func stopNotStored(_ number: UInt32) -> Never {
        stop(
            """
            field \(number) is not a stored property of the message that is encoded. Pass a stored \
            property without observers to the visitor; for an @Indirect property, pass its storage: \
            &_name
            """)
    }

    @usableFromInline
    @inline(never)
    static func stopNegativePrefix(_ byteCount: Int) -> Never {
        stop("a prefix of \(byteCount) bytes")
    }

    @usableFromInline
    @inline(never)
    static func stopThrowing<M: Message>(_ type: M.Type, _ error: WireError) -> Never {
        stop("\(type).visit(_:) throws while it is encoded: \(error)")
    }

    @usableFromInline
    @inline(never)
    static func stopChanged() -> Never {
        stop("a message changed while it was encoded")
    }
}
