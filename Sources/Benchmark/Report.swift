import Foundation

/// The results of a set of measurements, printed as a table or as one line of JSON for each row.
struct Report {
    struct Row {
        var name: String
        var value: Double
        var unit: String
        /// The value in relation to a reference that was measured in the same run.
        var ratio: Double?
        var note = ""
    }

    let asJSON: Bool
    private var rows: [Row] = []

    init(asJSON: Bool) { self.asJSON = asJSON }

    mutating func add(
        _ name: String, _ value: Double, _ unit: String, ratio: Double? = nil, note: String = ""
    ) {
        let row = Row(name: name, value: value, unit: unit, ratio: ratio, note: note)
        rows.append(row)
        if asJSON {
            print(row.json)
            // So that a program that reads from a pipe receives each row as soon as it is measured.
            fflush(nil)
        }
    }

    /// Prints the table, unless the rows were already printed as JSON.
    func end() {
        guard !asJSON else { return }
        let width = rows.map(\.name.count).max() ?? 0
        for row in rows {
            let name = row.name.padding(toLength: width, withPad: " ", startingAt: 0)
            let ratio = row.ratio.map { String(format: "  ×%.2f", $0) } ?? ""
            let note = row.note.isEmpty ? "" : "  " + row.note
            print(name, String(format: "%12.1f", row.value), row.unit + ratio + note)
        }
    }
}

extension Report.Row {
    fileprivate var json: String {
        var fields = [
            "\"name\":\"\(name)\"", "\"value\":\(String(format: "%.3f", value))",
            "\"unit\":\"\(unit)\"",
        ]
        if let ratio { fields.append("\"ratio\":\(String(format: "%.3f", ratio))") }
        return "{" + fields.joined(separator: ",") + "}"
    }
}
