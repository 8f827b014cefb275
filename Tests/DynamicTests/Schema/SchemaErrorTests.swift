import SwiftletDynamic
import Testing

@Suite("A schema error")
struct SchemaErrorTests {
    @Test("names the file if the declaration is in a file")
    func description() {
        let error = SchemaError(file: "a.proto", declaration: "a.B.c", message: "unknown type 'D'")
        #expect("\(error)" == "a.proto: a.B.c: unknown type 'D'")
        let bare = SchemaError(declaration: "a.B", message: "duplicate name")
        #expect("\(bare)" == "a.B: duplicate name")
    }
}
