/// Text that is costly to compare, hash or walk as a `String`, beside honest text of as many bytes.
public enum CostlyText {
    /// The most that the worst text may cost, in times of honest text of the same size. Linear work takes at most a
    /// few times as long, and quadratic work hundreds of times as long.
    public static let maxRatio = 10.0

    /// Marks that are not in their normal order, after a letter. 16 kB.
    public static let marks = "a" + String(repeating: "\u{301}\u{316}", count: 4_000)
    /// Marks whose class is that of a letter, but whose normal form is two marks. 16 kB.
    public static let hiddenMarks = "ab" + String(repeating: "\u{f73}", count: 5_333)
    /// As many bytes without marks.
    public static let honest = "a" + String(repeating: "ёж", count: 4_000)

    /// How often `work` costs with the worst text what it costs with honest text.
    public static func ratio(of work: (String) -> Void) -> Double {
        [marks, hiddenMarks].map { text in
            ProcessorTime.ratio(of: { work(text) }, to: { work(honest) })
        }.max() ?? 0
    }
}
