import Testing

@testable import SwiftletTransport

@Suite("SETTINGS_MAX_HEADER_LIST_SIZE")
struct HeaderListLimitTests {
    @Test("limits the prepared fields of a request and its other fields together")
    func together() throws {
        let prepared = PreparedHeaders(.request)
        let fields = HeaderList(["x-id": "1"])
        let byteCount = prepared.list.byteCount + fields.byteCount

        var exact = Endpoint.client(settings: Raw.settings((6, UInt32(byteCount))))
        _ = try exact.connection.openStream(prepared, fields, endStream: true)

        var less = Endpoint.client(settings: Raw.settings((6, UInt32(byteCount - 1))))
        #expect(throws: Connection.OpenRefusal.headerListTooLarge(limit: byteCount - 1)) {
            try less.connection.openStream(prepared, fields, endStream: true)
        }
        _ = try less.connection.openStream(prepared, HeaderList(), endStream: true)
        _ = try less.connection.openStream(nil, fields, endStream: true)
        #expect(less.connection.streamCount == 2)
    }
}
