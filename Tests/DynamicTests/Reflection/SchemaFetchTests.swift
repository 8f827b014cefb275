import SwiftletDynamic
import SwiftletMessages
import SwiftletServices
import Testing

@Suite("Fetching a schema")
struct SchemaFetchTests {
    private typealias Response = SchemaFetch.Response

    private let files: [String: Proto.FileDescriptorProto] = [
        "a.proto": TestSchema.file(
            "a.proto", imports: ["b.proto"],
            messages: [
                TestSchema.message("A", [TestSchema.field("b", 1, .message, of: ".t.B")])
            ]),
        "b.proto": TestSchema.file(
            "b.proto", imports: ["c.proto"], messages: [TestSchema.message("B")]),
        "c.proto": TestSchema.file("c.proto", messages: [TestSchema.message("C")]),
    ]

    private func answer(_ request: SchemaFetch.Request) -> Response {
        var response = Response()
        switch request.messageRequest {
        case .listServices:
            var service = GRPC.Reflection.ServiceResponse()
            service.name = "t.A"
            var list = GRPC.Reflection.ListServiceResponse()
            list.service = [service]
            response.messageResponse = .listServicesResponse(list)
        case .fileContainingSymbol("t.A"): response = file("a.proto")
        case .fileByFilename(let name): response = file(name)
        default:
            var error = GRPC.Reflection.ErrorResponse()
            error.errorCode = 5
            error.errorMessage = "not found"
            response.messageResponse = .errorResponse(error)
        }
        return response
    }

    private func file(_ name: String) -> Response {
        var list = GRPC.Reflection.FileDescriptorResponse()
        list.fileDescriptorProto = [files[name]?.encoded() ?? []]
        var response = Response()
        response.messageResponse = .fileDescriptorResponse(list)
        return response
    }

    @Test("asks for every import once, and makes a schema of the files")
    func imports() throws {
        var fetch = SchemaFetch(symbols: ["t.A"])
        var requests = 0
        while let request = fetch.next() {
            requests += 1
            let early = fetch.next()
            #expect(early == nil, "one request at a time")
            try fetch.receive(answer(request))
        }
        #expect(requests == 3)
        #expect(fetch.isComplete)
        #expect(try fetch.schema().message("t.A")?.field("b")?.message?.fullName == "t.B")
    }

    @Test("lists the services before it fetches all of them")
    func services() throws {
        var fetch = SchemaFetch.allServices()
        while let request = fetch.next() { try fetch.receive(answer(request)) }
        #expect(fetch.serviceNames == ["t.A"])
        #expect(try fetch.schema().files.count == 3)
    }

    @Test("sends the unanswered request again to the older version")
    func fallBack() throws {
        var fetch = SchemaFetch(symbols: ["t.A"])
        let first = fetch.next()
        #expect(first != nil)
        #expect(fetch.path == "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo")
        let isOlder = fetch.fallBack()
        #expect(isOlder)
        #expect(fetch.path == "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo")
        let again = fetch.next()
        #expect(again == first)
        let isOlderStill = fetch.fallBack()
        #expect(!isOlderStill)
    }

    @Test("reports an error of the server with the requested name")
    func serverError() throws {
        var fetch = SchemaFetch(symbols: ["t.Missing"])
        let next = fetch.next()
        let request = try #require(next)
        #expect(
            throws: SchemaError(
                declaration: "t.Missing", message: "the server answered error 5: not found")
        ) { try fetch.receive(answer(request)) }
    }

    /// The schema of a file that the server has, if it has no other.
    private func schema(of file: Proto.FileDescriptorProto) throws -> Schema {
        var fetch = SchemaFetch(symbols: ["t.M"])
        while let request = fetch.next() {
            var list = GRPC.Reflection.FileDescriptorResponse()
            list.fileDescriptorProto = [file.encoded()]
            var response = Response()
            response.messageResponse = .fileDescriptorResponse(list)
            if case .fileByFilename = request.messageRequest { response = answer(Self.absent) }
            try fetch.receive(response)
        }
        return try fetch.schema()
    }

    private static let absent = SchemaFetch.Request.with {
        $0.messageRequest = .fileContainingSymbol("absent")
    }

    @Test("needs no import of which no type is used, and has the standard ones")
    func missingImports() throws {
        let file = TestSchema.file(
            "m.proto", imports: ["gogo.proto", "google/protobuf/timestamp.proto"],
            messages: [
                TestSchema.message(
                    "M", [TestSchema.field("at", 1, .message, of: ".google.protobuf.Timestamp")])
            ])
        let message = try schema(of: file).message("t.M")
        #expect(message?.field("at")?.message?.fullName == "google.protobuf.Timestamp")
    }

    @Test("names the import that the server does not have when a type is missing")
    func missingType() throws {
        let file = TestSchema.file(
            "m.proto", imports: ["gogo.proto"],
            messages: [
                TestSchema.message("M", [TestSchema.field("g", 1, .message, of: ".gogo.Type")])
            ])
        let error = #expect(throws: SchemaError.self) { try schema(of: file) }
        #expect(error?.file == "m.proto")
        #expect(
            error?.message.hasSuffix(
                "; the server did not send the import 'gogo.proto' (error 5: not found)") == true)
    }

    @Test("refuses the names of a server that are not names of protobuf")
    func hostileNames() throws {
        for file in [
            TestSchema.file("main\0.proto"),
            TestSchema.file("a.proto", messages: [TestSchema.message("M {}\nimport Evil//")]),
        ] {
            var list = GRPC.Reflection.FileDescriptorResponse()
            list.fileDescriptorProto = [file.encoded()]
            var response = Response()
            response.messageResponse = .fileDescriptorResponse(list)
            var fetch = SchemaFetch(symbols: ["t.A"])
            _ = fetch.next()
            try fetch.receive(response)
            #expect(throws: SchemaError.self) { try fetch.schema() }
        }
    }

    @Test("sends no more requests than the limit, also if the answers never end")
    func endless() throws {
        var limits = SchemaFetch.Limits()
        limits.maxRequestCount = 1_000
        var fetch = SchemaFetch(symbols: [], extensionsOf: ["t.A"], limits: limits)
        var requestCount = 0
        let error = #expect(throws: SchemaError.self) {
            while let request = fetch.next(), requestCount < 2_000 {
                requestCount += 1
                guard case .allExtensionNumbersOfType = request.messageRequest else {
                    try fetch.receive(file("c.proto"))
                    continue
                }
                var list = GRPC.Reflection.ExtensionNumberResponse()
                list.extensionNumber = Array(1...2_000)
                var response = Response()
                response.messageResponse = .allExtensionNumbersResponse(list)
                try fetch.receive(response)
            }
        }
        #expect(requestCount == 1_000)
        #expect(fetch.requestCount == 1_000)
        #expect(error?.message.hasPrefix("the answers lead to more than 1000 requests") == true)
    }

    @Test("refuses another file, bytes that are no file, and more than the limits")
    func hostile() throws {
        var fetch = SchemaFetch(symbols: ["t.A"])
        #expect(throws: SchemaError.self) { try fetch.receive(file("a.proto")) }
        _ = fetch.next()
        try fetch.receive(file("a.proto"))
        _ = fetch.next()
        #expect(throws: SchemaError.self) { try fetch.receive(file("c.proto")) }

        var limits = SchemaFetch.Limits()
        limits.maxByteCount = 10
        var limited = SchemaFetch(symbols: ["t.A"], limits: limits)
        _ = limited.next()
        #expect(throws: SchemaError.self) { try limited.receive(file("a.proto")) }
    }

    /// A file with a message that has empty fields, of two bytes each.
    private static func fileOfFields(_ count: Int) -> [UInt8] {
        let message = Array(repeatElement([0x12, 0] as [UInt8], count: count).joined())
        return [0x22] + rawVarint(message.count) + message
    }

    @Test("refuses files that need much more memory than their size, before they are decoded")
    func memory() throws {
        var list = GRPC.Reflection.FileDescriptorResponse()
        list.fileDescriptorProto = [Self.fileOfFields(2 << 20)]
        var response = Response()
        response.messageResponse = .fileDescriptorResponse(list)
        var fetch = SchemaFetch(symbols: ["t.A"])
        _ = fetch.next()
        let error = #expect(throws: SchemaError.self) { try fetch.receive(response) }
        #expect(
            error?.message.hasPrefix(
                "the files of the server need more than 536870912 bytes of memory") == true)

        // The memory of several files is added up.
        var limits = SchemaFetch.Limits()
        limits.maxMemoryByteCount = 100_000
        fetch = SchemaFetch(symbols: ["t.A"], limits: limits)
        _ = fetch.next()
        list.fileDescriptorProto = [Self.fileOfFields(100), Self.fileOfFields(100)]
        response.messageResponse = .fileDescriptorResponse(list)
        try fetch.receive(response)
        fetch = SchemaFetch(symbols: ["t.A"], limits: limits)
        _ = fetch.next()
        list.fileDescriptorProto = Array(repeating: Self.fileOfFields(100), count: 10)
        response.messageResponse = .fileDescriptorResponse(list)
        #expect(throws: SchemaError.self) { try fetch.receive(response) }
    }
}
