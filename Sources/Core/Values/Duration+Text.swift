extension Duration {
    /// In milliseconds with two decimal places.
    package var inMilliseconds: String { text(in: .milliseconds(1), digitCount: 2) + " ms" }

    /// The multiple of `unit`, with `digitCount` decimal places.
    func text(in unit: Duration, digitCount: Int) -> String {
        let scale = (0..<digitCount).reduce(UInt128(1)) { scale, _ in scale * 10 }
        let step = unit.attoseconds.magnitude / scale
        let count = (attoseconds.magnitude + step / 2) / step
        let fraction = "\(scale + count % scale)".dropFirst()
        return "\(self < .zero ? "-" : "")\(count / scale).\(fraction)"
    }
}
