package import SwiftletMessages

// What a message of a peer needs in memory, which can be hundreds of times its bytes.
extension Message {
    /// How many bytes the elements of all lists of messages and strings have when `bytes` are decoded. Costs less than
    /// to decode them. Throws if they are not a message of the type; strings are not checked.
    ///
    /// Lists inside a map or a oneof are not counted.
    package static func listByteCount(of bytes: [UInt8]) throws(WireError) -> Int {
        // Safe: the decoder is used only inside the closure.
        try unsafe bytes.withUnsafeBufferPointer { buffer throws(WireError) in
            guard let start = buffer.baseAddress else { return 0 }
            var decoder = unsafe FieldDecoder(
                start: start, byteCount: buffer.count, options: DecodingOptions())
            return try unsafe decoder.listByteCount(layout.table)
        }
    }
}

extension FieldDecoder {
    fileprivate mutating func listByteCount(
        _ table: UnsafePointer<FieldTable>
    ) throws(WireError) -> Int {
        var byteCount = 0
        try nextTag()
        while tag != Tag.end {
            let entry = unsafe table.pointee.entry(for: tag)
            switch unsafe (entry?.pointee.code, entry?.pointee.shape) {
            case (.string, .list):
                byteCount += unsafe run().count * MemoryLayout<String>.stride
                _ = unsafe try skipRun()
            case (.message, .list), (.message, .indirect), (.message, .optional):
                guard let entry = unsafe entry else { continue }
                // An optional message is a part of the message that it is in.
                if unsafe entry.pointee.shape != .optional {
                    byteCount += unsafe entry.pointee.messageType._withUnsafeGuaranteedRef {
                        $0.stride
                    }
                }
                byteCount += unsafe try nestedListByteCount(entry)
                try nextTag()
            default: _ = unsafe try skipRun()
            }
        }
        return byteCount
    }

    private mutating func nestedListByteCount(
        _ entry: UnsafePointer<TableEntry>
    ) throws(WireError) -> Int {
        let byteCount = try length()
        guard depthLeft > 0 else { throw failure(.tooDeep) }
        let outerEnd = unsafe end
        unsafe end = cursor + byteCount
        depthLeft &-= 1
        defer {
            depthLeft &+= 1
            unsafe end = outerEnd
        }
        do throws(WireError) { return unsafe try listByteCount(entry.pointee.nestedTable) } catch {
            throw unsafe error.inside(entry.pointee.number)
        }
    }
}
