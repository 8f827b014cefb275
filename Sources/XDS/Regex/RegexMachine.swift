/// Runs a program on a text. All ways through the program are followed at the same time, so that the time is at most
/// the length of the text multiplied with the number of steps, for any expression and any text.
struct RegexMachine: ~Copyable {
    /// Steps in the order of preference, each at most once.
    private struct Threads {
        var steps: [Int] = []
        /// The place in `steps` where a step may be.
        private var places: [Int]

        init(capacity: Int) {
            steps.reserveCapacity(capacity)
            places = Array(repeating: 0, count: capacity)
        }

        mutating func insert(_ step: Int) -> Bool {
            let place = places[step]
            if place < steps.count, steps[place] == step { return false }
            places[step] = steps.count
            steps.append(step)
            return true
        }
    }

    private enum Pending {
        case visit(Int)
        /// Restores a saved position when all that follows its change was visited.
        case restore(slot: Int, Int)
    }

    private let program: RegexProgram
    /// Whether positions are needed.
    private let savesSlots: Bool
    private var current: Threads
    private var following: Threads
    /// The saved positions of each step's thread. Empty if they are not needed.
    private var currentSlots: [Int]
    private var followingSlots: [Int]
    private var slots: [Int]
    private var tasks: [Pending] = []

    private init(_ program: RegexProgram, savesSlots: Bool) {
        let count = program.steps.count
        self.program = program
        self.savesSlots = savesSlots
        current = Threads(capacity: count)
        following = Threads(capacity: count)
        slots = Array(repeating: -1, count: savesSlots ? program.slotCount : 0)
        currentSlots = Array(repeating: -1, count: slots.count * count)
        followingSlots = currentSlots
    }
}

// MARK: - Matching

extension RegexMachine {
    /// Whether the program matches the whole text.
    static func matches(_ program: RegexProgram, _ text: Span<UInt8>) -> Bool {
        var machine = RegexMachine(program, savesSlots: false)
        machine.follow(0, at: 0, text)
        var position = 0
        while position < text.count {
            machine.advance()
            guard !machine.current.steps.isEmpty else { return false }
            let (scalar, width) = UTF8Step.decode(text, at: position)
            position += width
            for step in machine.current.steps where machine.accepts(step, scalar) {
                machine.follow(step + 1, at: position, text)
            }
        }
        for step in machine.following.steps where machine.isMatch(step) { return true }
        return false
    }

    /// The first match at or after `start`: the range of the whole match, then of each group. Nil if there is none.
    ///
    /// - Parameter end: How far the text was read.
    static func firstMatch(
        _ program: RegexProgram, _ text: Span<UInt8>, from start: Int, readTo end: inout Int
    ) -> [Range<Int>?]? {
        var machine = RegexMachine(program, savesSlots: true)
        var match: [Int]?
        var position = start
        while true {
            if match == nil {
                machine.slots = Array(repeating: -1, count: machine.slots.count)
                machine.follow(0, at: position, text)
            }
            machine.advance()
            guard !machine.current.steps.isEmpty else {
                if match != nil || position >= text.count { break }
                position += UTF8Step.decode(text, at: position).width
                continue
            }
            let (scalar, width) =
                position < text.count
                ? UTF8Step.decode(text, at: position) : (UTF8Step.invalid, 1)
            for step in machine.current.steps {
                if machine.isMatch(step) {
                    // The threads behind it are less preferred.
                    match = machine.slots(of: step)
                    break
                }
                guard machine.accepts(step, scalar) else { continue }
                machine.slots = machine.slots(of: step)
                machine.follow(step + 1, at: position + width, text)
            }
            guard position < text.count else { break }
            position += width
        }
        end = position
        return match.map(ranges)
    }

    private static func ranges(_ slots: [Int]) -> [Range<Int>?] {
        (0..<slots.count / 2).map { group in
            let (start, end) = (slots[2 * group], slots[2 * group + 1])
            return start >= 0 && end >= start ? start..<end : nil
        }
    }

    private func isMatch(_ step: Int) -> Bool {
        if case .match = program.steps[step] { true } else { false }
    }

    private func accepts(_ step: Int, _ scalar: UInt32) -> Bool {
        switch program.steps[step] {
        case .scalar(let expected): scalar == expected
        case .set(let index): program.sets[index].contains(scalar)
        default: false
        }
    }

    private func slots(of step: Int) -> [Int] {
        Array(currentSlots[step * slots.count..<(step + 1) * slots.count])
    }

    /// Makes the threads that were collected the current ones.
    private mutating func advance() {
        swap(&current, &following)
        swap(&currentSlots, &followingSlots)
        following.steps.removeAll(keepingCapacity: true)
    }

    /// Adds the threads that a step leads to without reading the text.
    private mutating func follow(_ step: Int, at position: Int, _ text: Span<UInt8>) {
        tasks.append(.visit(step))
        while let task = tasks.popLast() {
            switch task {
            case .restore(let slot, let old): slots[slot] = old
            case .visit(let step):
                // At the end of the text, a step that reads leads nowhere; `position` is then behind the end.
                guard position <= text.count, following.insert(step) else { continue }
                visit(step, at: position, text)
            }
        }
    }

    private mutating func visit(_ step: Int, at position: Int, _ text: Span<UInt8>) {
        switch program.steps[step] {
        case .jump(let target): tasks.append(.visit(target))
        case .split(let first, let second):
            tasks.append(.visit(second))
            tasks.append(.visit(first))
        case .assertion(let assertion):
            if assertion.holds(at: position, in: text) { tasks.append(.visit(step + 1)) }
        case .save(let slot):
            if savesSlots {
                tasks.append(.restore(slot: slot, slots[slot]))
                slots[slot] = position
            }
            tasks.append(.visit(step + 1))
        case .scalar, .set, .match:
            guard savesSlots else { return }
            followingSlots.replaceSubrange(
                step * slots.count..<(step + 1) * slots.count, with: slots)
        }
    }
}
