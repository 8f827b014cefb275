/// Mistakes in a message type, which no value from a peer can cause. They stop the program and print a
/// message, even in release builds. A `precondition` prints no message in a release build.
package enum ProgramError {
    @inline(never)
    package static func stop(_ sentence: String) -> Never { fatalError(sentence) }

    static func stopIllegalNumber(_ type: Any.Type, _ number: UInt32) -> Never {
        stop(
            "\(type) lists field number \(number), which is not legal: field numbers are 1...536870911"
        )
    }

    static func stopTwice(_ type: Any.Type, _ number: UInt32) -> Never {
        stop("\(type) lists field number \(number) twice")
    }

    static func stopNotStored(
        _ type: Any.Type, _ number: UInt32, _ property: AnyKeyPath
    ) -> Never {
        stop(
            """
            \(type) lists field \(number) as \(property), which is not a stored property without observers. For an \
            @Indirect property, list its storage: \\._name
            """)
    }

    static func stopNegativePrefix(_ byteCount: Int) -> Never {
        stop("a prefix of \(byteCount) bytes")
    }

    static func stopChanged() -> Never {
        stop("a message changed while it was encoded")
    }
}
