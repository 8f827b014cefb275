import SwiftletMessages

// Numbers and names of fields, reserved and extension ranges.
extension FileValidator {
    /// Numbers that are reserved for protobuf itself.
    private static let libraryNumbers: ClosedRange<Int32> = 19_000...19_999

    /// A range of numbers with its place, used to find overlaps.
    private struct PlacedRange {
        var range: Range<Int64>
        var path: ProtoPath
        var isExtension: Bool

        var description: String {
            let numbers =
                range.count == 1
                ? "\(range.lowerBound)" : "\(range.lowerBound) to \(range.upperBound - 1)"
            return (isExtension ? "the extension range " : "the reserved range ") + numbers
        }
    }

    func validateNumbers(of message: Message, at path: ProtoPath) {
        var names: [Int32: String] = [:]
        for (index, field) in message.field.enumerated() {
            let number = field.number ?? 0
            let place =
                path + [PathNumber.Message.field, Int32(index), PathNumber.Field.number]
            validateNumber(number, at: place)
            if let other = names.updateValue(field.name ?? "", forKey: number) {
                file.fail(
                    "the number \(number) is used twice, by '\(other)' and '\(field.name ?? "")'",
                    at: place)
            }
        }
        let ranges = validRanges(of: message, at: path)
        validateOverlaps(ranges)
        validateFields(message, in: ranges, at: path)
        validateReservedNames(
            message.reservedName, path + [PathNumber.Message.reservedName],
            used: message.field.enumerated().map {
                ($1.name ?? "", path + [PathNumber.Message.field, Int32($0), PathNumber.name])
            })
    }

    func validateNumber(
        _ number: Int32, at path: ProtoPath, max: Int32 = NumberRange.maxFieldNumber
    ) {
        if number <= 0 {
            file.fail("the number of a field is at least 1", at: path)
        } else if number > max {
            file.fail("the number of a field is at most \(max)", at: path)
        } else if Self.libraryNumbers.contains(number) {
            file.fail("the numbers 19000 to 19999 are reserved by protobuf", at: path)
        }
    }

    // MARK: - Ranges

    private func validRanges(of message: Message, at path: ProtoPath) -> [PlacedRange] {
        var ranges: [PlacedRange] = []
        func add(
            _ start: Int32, _ end: Int32, _ problem: String?, _ path: ProtoPath, isExtension: Bool
        ) {
            if let problem { return file.fail(problem, at: path) }
            ranges.append(
                PlacedRange(
                    range: Int64(start)..<Int64(end), path: path, isExtension: isExtension))
        }
        for (index, range) in message.reservedRange.enumerated() {
            let (start, end) = (range.start ?? 0, range.end ?? 0)
            add(
                start, end, NumberRange.problem(from: start, until: end),
                path + [PathNumber.Message.reservedRange, Int32(index)], isExtension: false)
        }
        let isMessageSet = message.options?.messageSetWireFormat == true
        for (index, range) in message.extensionRange.enumerated() {
            let (start, end) = (range.start ?? 0, range.end ?? 0)
            let problem = NumberRange.problem(
                ofExtensionsFrom: start, until: end, inMessageSet: isMessageSet)
            add(
                start, end, problem,
                path + [PathNumber.Message.extensionRange, Int32(index)], isExtension: true)
        }
        return ranges.inOrder { $0.range.lowerBound < $1.range.lowerBound }
    }

    private func validateOverlaps(_ ranges: [PlacedRange]) {
        var reached: PlacedRange?
        for range in ranges {
            if let before = reached, range.range.lowerBound < before.range.upperBound {
                file.fail("\(range.description) overlaps \(before.description)", at: range.path)
                if before.range.upperBound >= range.range.upperBound { continue }
            }
            reached = range
        }
    }

    /// Refuses fields whose number is in a range. Both are sorted, so the work is linear.
    private func validateFields(
        _ message: Message, in ranges: [PlacedRange], at path: ProtoPath
    ) {
        var index = 0
        let fields = message.field.enumerated().inOrder {
            ($0.element.number ?? 0) < ($1.element.number ?? 0)
        }
        for (fieldIndex, field) in fields {
            let number = Int64(field.number ?? 0)
            while index < ranges.count, ranges[index].range.upperBound <= number { index += 1 }
            guard index < ranges.count, ranges[index].range.contains(number) else { continue }
            file.fail(
                "the number \(number) of '\(field.name ?? "")' is in \(ranges[index].description)",
                at: path + [PathNumber.Message.field, Int32(fieldIndex), PathNumber.Field.number])
        }
    }

    // MARK: - Names

    func validateReservedNames(
        _ names: [String], _ path: ProtoPath, used: [(name: String, path: ProtoPath)]
    ) {
        var reserved: Set<String> = []
        for (index, name) in names.enumerated() where !reserved.insert(name).inserted {
            file.fail("the name '\(name)' is reserved twice", at: path + [Int32(index)])
        }
        guard !reserved.isEmpty else { return }
        for (name, path) in used where reserved.contains(name) {
            file.fail("the name '\(name)' is reserved", at: path)
        }
    }
}
