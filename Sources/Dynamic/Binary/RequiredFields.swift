import SwiftletMessages

/// Finds required fields that are absent.
enum RequiredFields {
    /// The field numbers of the path to the first required field that is absent; nil when none is
    /// absent.
    static func missing(in message: DynamicMessage) -> [UInt32]? {
        let pool = message.pool
        let layout = pool.messageLayouts[message.type]
        guard layout.needsRequiredCheck else { return nil }
        let contents = message.contents
        if !layout.required.isEmpty {
            for field in pool.tables.required(of: layout) {
                let number = pool.layouts[Int(field)].number
                if !contents.position(of: number).isPresent { return [number] }
            }
        }
        for entry in contents.present where pool.layouts[entry.field].needsRequiredCheck {
            if let path = missing(in: entry.value) { return [entry.number] + path }
        }
        return nil
    }

    private static func missing(in value: DynamicValue) -> [UInt32]? {
        switch value {
        case .message(let message): return missing(in: message)
        case .list(let values):
            guard case .message = values.first else { return nil }
            for value in values {
                if let path = missing(in: value) { return path }
            }
        case .map(let values):
            for value in values.values {
                guard case .message = value else { return nil }
                if let path = missing(in: value) { return [2] + path }
            }
        default: break
        }
        return nil
    }
}

extension DynamicMessage {
    /// The path of the first required field that is absent, as names; nil when none is absent.
    var missingRequiredField: String? {
        guard let numbers = RequiredFields.missing(in: self) else { return nil }
        var names: [String] = []
        var schema: MessageSchema? = self.schema
        for number in numbers {
            let field = schema?.field(number: number)
            names.append(field?.name ?? "\(number)")
            schema = field?.message
        }
        return names.joined(separator: ".")
    }
}
