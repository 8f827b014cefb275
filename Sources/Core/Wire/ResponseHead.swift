import SwiftletTransport

/// The meaning of a response's header blocks (PROTOCOL-HTTP2, "Responses").
package enum ResponseHead {
    /// The head of a response whose messages may follow.
    package struct Initial: Sendable {
        var httpStatus: Int
        var encoding: CompressionAlgorithm
        var metadata: Metadata

        package init(httpStatus: Int, encoding: CompressionAlgorithm, _ metadata: Metadata) {
            self.httpStatus = httpStatus
            self.encoding = encoding
            self.metadata = metadata
        }
    }

    /// Interprets headers that are not the end of the response. Throws if it is not gRPC, so that no messages are
    /// read from it.
    static func initial(_ list: HeaderList) throws(RPCError) -> Initial {
        let fields = Fields(list)
        let httpStatus = HeaderRules.status(of: list) ?? 0
        if var error = fields.refusal(httpStatus: httpStatus, list) {
            // A proxy may send details in these headers, such as when to retry.
            error.initialMetadata = fields.metadata(of: list)
            throw error
        }
        var encoding = CompressionAlgorithm.identity
        if let field = fields.encoding {
            let name = list.bytes.contiguous.span.extracting(field.value)
            if let known = CompressionAlgorithm(known: name),
                CompressionAlgorithm.supported.contains(known)
            {
                encoding = known
            } else {
                let shown = PeerText.clean(list.bytes[field.value])
                var error = RPCError(
                    .internal,
                    "the server compressed the response with '\(shown)', "
                        + "which this client does not support (it accepts \(CompressionAlgorithm.accepted))"
                )
                error.initialMetadata = fields.metadata(of: list)
                throw error
            }
        }
        return Initial(
            httpStatus: httpStatus, encoding: encoding, fields.metadata(of: list))
    }

    /// Interprets the last header block. It may be the only one.
    static func trailers(_ list: HeaderList, httpStatus: Int?) -> ResponseEnd {
        let fields = Fields(list)
        let trailers = fields.metadata(of: list)
        var error = fields.error(httpStatus: httpStatus, list)
        error?.metadata = trailers
        return ResponseEnd(error: error, trailers: trailers)
    }

    /// Whether a `content-type` is a content type of gRPC.
    package static func isGRPC(contentType: String) -> Bool {
        Fields.isGRPC(ContiguousArray(contentType.utf8).span)
    }

    /// The fields of the protocol, found in one pass.
    fileprivate struct Fields {
        var contentType: HeaderList.Field?
        var status: HeaderList.Field?
        var statusesDiffer = false
        var message: HeaderList.Field?
        var details: HeaderList.Field?
        var encoding: HeaderList.Field?
        /// The number of fields of the application.
        var customCount = 0

        init(_ list: HeaderList) {
            for index in list.fields.indices {
                let field = list.fields[index]
                // The length distinguishes most names before any byte is compared.
                switch field.nameByteCount {
                case 7 where list.isName(field, ":status"): break
                case 12 where list.isName(field, "content-type"): contentType = field
                case 11 where list.isName(field, "grpc-status"):
                    if let status, list.bytes[status.value] != list.bytes[field.value] {
                        statusesDiffer = true
                    }
                    status = field
                case 12 where list.isName(field, "grpc-message"): message = field
                case 13 where list.isName(field, "grpc-encoding"): encoding = field
                case 20 where list.isName(field, "grpc-accept-encoding"): break
                case 23 where list.isName(field, "grpc-status-details-bin"): details = field
                default: customCount += 1
                }
            }
        }
    }
}

extension ResponseHead.Fields {
    /// The error of the status that ends a response; nil for OK.
    func error(httpStatus: Int?, _ list: HeaderList) -> RPCError? {
        guard let status else {
            return withoutStatus(httpStatus: HeaderRules.status(of: list) ?? httpStatus, list)
        }
        if statusesDiffer { return RPCError(.unknown, "the server sent more than one grpc-status") }
        if list.bytes.contiguous.span.extracting(status.value).equals("0") { return nil }
        let text = list.value(of: status)
        guard let number = Int(text), number >= 0, text.utf8.allSatisfy({ (48...57).contains($0) })
        else {
            let shown = PeerText.clean(text)
            return RPCError(
                .unknown, "the server sent a malformed grpc-status: '\(shown)' (expected a number)")
        }
        var message =
            message.map { WireText.bounded(PercentCoding.decode(list.value(of: $0))) } ?? ""
        if message.isEmpty, number > 16 {
            message = "the server sent an unregistered grpc-status: \(number)"
        }
        let details = details.flatMap { Base64.decode(list.bytes[$0.value]) } ?? []
        return RPCError(Status(StatusCode(rawValue: number), message, details: details))
    }

    /// The error if the response is not gRPC.
    func refusal(httpStatus: Int, _ list: HeaderList) -> RPCError? {
        if httpStatus == 200, let contentType,
            Self.isGRPC(list.bytes.contiguous.span.extracting(contentType.value))
        {
            return nil
        }
        return withoutStatus(httpStatus: httpStatus, list)
    }

    /// Whether the type is `application/grpc`, with or without a subtype after `+` or parameters
    /// after `;`. Other types that begin with these letters, such as `application/grpc-web`, have
    /// another framing.
    fileprivate static func isGRPC(_ contentType: Span<UInt8>) -> Bool {
        let name: StaticString = "application/grpc"
        let count = name.utf8CodeUnitCount
        guard contentType.count >= count, contentType.extracting(0..<count).equals(name) else {
            return false
        }
        guard contentType.count > count else { return true }
        switch contentType[count] {
        case UInt8(ascii: "+"), UInt8(ascii: ";"), UInt8(ascii: " "): return true
        default: return false
        }
    }

    /// The error of a response without `grpc-status`. The HTTP status determines its code.
    func withoutStatus(httpStatus: Int?, _ list: HeaderList) -> RPCError {
        let code = StatusMapping.code(forHTTPStatus: httpStatus ?? 200)
        var message = "the server ended the call without a grpc-status"
        if let httpStatus, HeaderRules.status(of: list) != nil {
            let type =
                contentType.map { ", content-type \(PeerText.clean(list.value(of: $0)))" } ?? ""
            let hasGRPCType = contentType.map {
                Self.isGRPC(list.bytes.contiguous.span.extracting($0.value))
            }
            // Names the part that is missing or wrong.
            message =
                switch hasGRPCType {
                case true? where httpStatus == 200:
                    "the response has no grpc-status: HTTP 200\(type)"
                case nil: "the response is not gRPC: HTTP \(httpStatus) without a content-type"
                default: "the response is not gRPC: HTTP \(httpStatus)\(type)"
                }
        }
        var error = RPCError(code, message)
        // The server, or a gateway before it, has refused the call in the words of HTTP.
        if let httpStatus, httpStatus != 200, HeaderRules.status(of: list) != nil {
            error.origin = .server
        }
        error.phase = .server
        return error
    }

    func metadata(of list: HeaderList) -> Metadata {
        var metadata = Metadata()
        guard customCount > 0 else { return metadata }
        for field in list.fields {
            let name = list.name(of: field)
            guard !Self.isProtocols(name) else { continue }
            guard name.hasSuffix("-bin") else {
                metadata.append(
                    received: .text(String(decoding: list.trimmed(field), as: UTF8.self)),
                    for: name)
                continue
            }
            metadata.append(receivedBinary: list.bytes[field.value], for: name)
        }
        return metadata
    }

    private static func isProtocols(_ name: String) -> Bool {
        switch name {
        case ":status", "content-type", "grpc-status", "grpc-message", "grpc-encoding",
            "grpc-accept-encoding", "grpc-status-details-bin":
            true
        default: false
        }
    }
}

extension Metadata {
    /// Appends a value that a peer sent under a name that ends in `-bin`. One field may contain
    /// several values, separated by commas.
    package mutating func append(receivedBinary value: some Collection<UInt8>, for name: String) {
        for part in value.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false) {
            let text = part.filter { $0 != UInt8(ascii: " ") }
            // A value that is not base64 is kept as it is, and the others are not affected.
            append(
                received: Base64.decode(text).map(Content.bytes)
                    ?? .text(String(decoding: text, as: UTF8.self)), for: name)
        }
    }
}

extension HeaderList {
    /// A value without the whitespace at its ends, which is not part of the value.
    fileprivate func trimmed(_ field: Field) -> ArraySlice<UInt8> {
        var value = bytes[field.value]
        while let byte = value.first, byte == 0x20 || byte == 0x09 { value.removeFirst() }
        while let byte = value.last, byte == 0x20 || byte == 0x09 { value.removeLast() }
        return value
    }
}
