/// The text of a `google.protobuf.FieldMask`: paths in lower camel case, separated by commas.
enum FieldMaskText {
    /// The paths with underscores; nil for text that is not a field mask.
    static func parse(_ text: String) -> [String]? {
        guard !text.isEmpty else { return [] }
        var paths: [String] = []
        for path in text.utf8.split(
            separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
        {
            guard let snake = snakeCase(path) else { return nil }
            paths.append(snake)
        }
        return paths
    }

    /// The text of the paths; nil if parsing that text would give other paths.
    static func text(_ paths: [String]) -> String? {
        // Alone, an empty path would be read as no path.
        guard paths.count != 1 || paths[0].utf8.count > 0 else { return nil }
        var names: [String] = []
        for path in paths {
            guard !path.utf8.contains(UInt8(ascii: ",")) else { return nil }
            let name = JSONName.ofField(path)
            guard let snake = snakeCase(name.utf8[...]), DeclaredName.isSame(snake, path) else {
                return nil
            }
            names.append(name)
        }
        return names.joined(separator: ",")
    }

    private static func snakeCase(_ name: Substring.UTF8View) -> String? {
        var result: [UInt8] = []
        for byte in name {
            switch byte {
            case UInt8(ascii: "_"): return nil
            case UInt8(ascii: "A")...UInt8(ascii: "Z"): result += [UInt8(ascii: "_"), byte + 32]
            default: result.append(byte)
            }
        }
        return String(decoding: result, as: UTF8.self)
    }
}
