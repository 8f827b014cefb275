/// Code points that differ only in case, by Unicode's simple case folding.
enum CaseFolding {
    /// The code point itself, and those that differ only in case.
    static func siblings(of scalar: UInt32) -> [UInt32] {
        let folded = fold(scalar)
        var siblings = [scalar]
        func add(_ candidate: UInt32?) {
            guard let candidate, !siblings.contains(candidate), fold(candidate) == folded else {
                return
            }
            siblings.append(candidate)
        }
        add(folded)
        if let properties = Unicode.Scalar(folded)?.properties {
            add(single(properties.uppercaseMapping))
            add(single(properties.titlecaseMapping))
        }
        for (base, other) in others where base == folded { add(other) }
        return siblings
    }

    /// One code point for all that differ only in case.
    private static func fold(_ scalar: UInt32) -> UInt32 {
        // The dotted capital I and the dotless small one have siblings in Turkish only.
        guard scalar != 0x130, scalar != 0x131, let known = Unicode.Scalar(scalar) else {
            return scalar
        }
        let upper = single(known.properties.uppercaseMapping) ?? scalar
        guard let known = Unicode.Scalar(upper) else { return upper }
        return single(known.properties.lowercaseMapping) ?? upper
    }

    private static func single(_ text: String) -> UInt32? {
        let scalars = text.unicodeScalars
        return scalars.count == 1 ? scalars.first?.value : nil
    }

    /// Code points that no mapping of the folded one reaches, such as the Kelvin sign.
    private static let others: [(UInt32, UInt32)] = [
        (0x6b, 0x212a), (0x73, 0x17f), (0xdf, 0x1e9e), (0xe5, 0x212b), (0x3b2, 0x3d0),
        (0x3b5, 0x3f5), (0x3b8, 0x3d1), (0x3b8, 0x3f4), (0x3b9, 0x345), (0x3b9, 0x1fbe),
        (0x3ba, 0x3f0), (0x3bc, 0xb5), (0x3c0, 0x3d6), (0x3c1, 0x3f1), (0x3c3, 0x3c2),
        (0x3c6, 0x3d5), (0x3c9, 0x2126), (0x432, 0x1c80), (0x434, 0x1c81), (0x43e, 0x1c82),
        (0x441, 0x1c83), (0x442, 0x1c84), (0x442, 0x1c85), (0x44a, 0x1c86), (0x463, 0x1c87),
        (0x1e61, 0x1e9b), (0xa64b, 0x1c88),
    ]
}
