/// The names of a struct's properties, for text that people read. Only this text depends on them.
enum PropertyNames {
    /// The name of the property at each offset, in the spelling of a `.proto` file. Swift lays out the
    /// properties of a struct one after another, each at the next aligned offset.
    static func byOffset(of value: some Any) -> [Int: String] {
        var names: [Int: String] = [:]
        var end = 0
        for child in Mirror(reflecting: value).children {
            let layout = layout(of: child.value)
            let offset = (end + layout.alignment - 1) / layout.alignment * layout.alignment
            names[offset] = child.label.map(snakeCase)
            end = offset + layout.size
        }
        return names
    }

    private static func layout<T>(of value: T) -> (size: Int, alignment: Int) {
        if T.self == Any.self { return openedLayout(of: value) }
        return (MemoryLayout<T>.size, MemoryLayout<T>.alignment)
    }

    private static func openedLayout(of value: Any) -> (size: Int, alignment: Int) {
        func opened<T>(_: T) -> (size: Int, alignment: Int) {
            (MemoryLayout<T>.size, MemoryLayout<T>.alignment)
        }
        return _openExistential(value, do: opened)
    }

    /// Converts `responseSize` to `response_size`, `typeURLText` to `type_url_text`, and `_child`, the
    /// storage of a wrapper, to `child`.
    static func snakeCase(_ name: String) -> String {
        let characters = Array(name.drop { $0 == "_" })
        var result = ""
        for (index, character) in characters.enumerated() {
            if character.isUppercase, index > 0 {
                // The last of several capitals begins the next word.
                let isInWord = characters[index - 1].isUppercase
                let beginsWord = index + 1 < characters.count && characters[index + 1].isLowercase
                if !isInWord || beginsWord { result.append("_") }
            }
            result += character.lowercased()
        }
        return result
    }
}
