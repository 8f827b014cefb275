/// A regular expression as steps of a machine. A step continues with the next one unless it says otherwise.
struct RegexProgram: Sendable {
    enum Step: Sendable {
        case scalar(UInt32)
        /// A code point of a set, by its index.
        case set(Int)
        case assertion(RegexAssertion)
        /// Records the position.
        case save(Int)
        case jump(Int)
        /// Continues with both, the first one preferred.
        case split(Int, Int)
        case match
    }

    /// The most steps. Each byte of the text may cost as many.
    static let maxStepCount = 4_000
    /// The groups that a substitution can refer to. The places of others are not kept: each costs memory in each step.
    static let maxGroupCount = 9

    private(set) var steps: [Step] = []
    private(set) var sets: [RegexSet] = []
    /// The number of saved positions: two for each group, and two for the whole match.
    let slotCount: Int

    init(_ node: RegexNode, captureCount: Int) throws(RegexError) {
        slotCount = 2 * (min(captureCount, Self.maxGroupCount) + 1)
        try add(.save(0))
        try compile(node)
        try add(.save(1))
        try add(.match)
    }
}

extension RegexProgram {
    private mutating func add(_ step: Step) throws(RegexError) {
        guard steps.count < Self.maxStepCount else {
            throw RegexError("too large: more than \(Self.maxStepCount) steps")
        }
        steps.append(step)
    }

    /// Calls itself for nested expressions, whose depth the parser limits.
    private mutating func compile(_ node: RegexNode) throws(RegexError) {
        switch node {
        case .empty: break
        case .scalar(let scalar): try add(.scalar(scalar))
        case .set(let set):
            try add(.set(sets.count))
            sets.append(set)
        case .assertion(let assertion): try add(.assertion(assertion))
        case .capture(let number, let node) where number > Self.maxGroupCount: try compile(node)
        case .capture(let number, let node):
            try add(.save(2 * number))
            try compile(node)
            try add(.save(2 * number + 1))
        case .sequence(let nodes): for node in nodes { try compile(node) }
        case .choice(let nodes): try addChoice(nodes)
        case .repetition(let node, let min, let max, let isGreedy):
            for _ in 0..<(max == nil && min > 0 ? min - 1 : min) { try compile(node) }
            if let max {
                try addOptional(node, count: max - min, isGreedy)
            } else if min > 0 {
                try addLoop(node, isGreedy)
            } else if node.matchesEmpty {
                // An empty repetition ends the loop, so it must not be preferred to none. RE2 does the same.
                let fork = steps.count
                try add(.split(0, 0))
                try addLoop(node, isGreedy)
                steps[fork] = Self.fork(fork + 1, steps.count, isGreedy)
            } else {
                let fork = steps.count
                try add(.split(0, 0))
                try compile(node)
                try add(.jump(fork))
                steps[fork] = Self.fork(fork + 1, steps.count, isGreedy)
            }
        }
    }

    private mutating func addChoice(_ nodes: [RegexNode]) throws(RegexError) {
        var jumps: [Int] = []
        for (index, node) in nodes.enumerated() {
            guard index < nodes.count - 1 else {
                try compile(node)
                break
            }
            let fork = steps.count
            try add(.split(0, 0))
            try compile(node)
            jumps.append(steps.count)
            try add(.jump(0))
            steps[fork] = .split(fork + 1, steps.count)
        }
        for jump in jumps { steps[jump] = .jump(steps.count) }
    }

    /// One repetition or more.
    private mutating func addLoop(_ node: RegexNode, _ isGreedy: Bool) throws(RegexError) {
        let start = steps.count
        try compile(node)
        try add(Self.fork(start, steps.count + 1, isGreedy))
    }

    /// Up to `count` repetitions.
    private mutating func addOptional(
        _ node: RegexNode, count: Int, _ isGreedy: Bool
    ) throws(RegexError) {
        var forks: [Int] = []
        for _ in 0..<count {
            forks.append(steps.count)
            try add(.split(0, 0))
            try compile(node)
        }
        for fork in forks { steps[fork] = Self.fork(fork + 1, steps.count, isGreedy) }
    }

    private static func fork(_ more: Int, _ end: Int, _ isGreedy: Bool) -> Step {
        isGreedy ? .split(more, end) : .split(end, more)
    }
}
