package import SwiftletTransport

/// What the header blocks of a response say (PROTOCOL-HTTP2, "Responses").
package enum ResponseHead {
    package enum Initial: Sendable {
        /// Messages may follow.
        case accepted(httpStatus: Int, encoding: CompressionAlgorithm, Metadata)
        /// This is no gRPC response, and no messages will be read from it.
        case refused(RPCError)
    }

    /// The headers of a response that goes on.
    package static func initial(_ list: HeaderList) -> Initial {
        let fields = Fields(list)
        let httpStatus = HeaderRules.status(of: list) ?? 0
        if var error = fields.refusal(httpStatus: httpStatus, list) {
            // What a proxy has to say, such as when to come again, stands there.
            error.initialMetadata = fields.metadata(of: list)
            return .refused(error)
        }
        var encoding = CompressionAlgorithm.identity
        if let field = fields.encoding, list.value(of: field) != "identity" {
            encoding = CompressionAlgorithm(name: list.value(of: field))
            guard CompressionAlgorithm.supported.contains(encoding) else {
                var error = RPCError(
                    .internal,
                    "the server compresses with '\(encoding.name)', which is not known here")
                error.initialMetadata = fields.metadata(of: list)
                return .refused(error)
            }
        }
        return .accepted(
            httpStatus: httpStatus, encoding: encoding, fields.metadata(of: list))
    }

    /// The last headers of a response, which may be its only ones.
    package static func trailers(_ list: HeaderList, httpStatus: Int?) -> CallEnd {
        let fields = Fields(list)
        let trailers = fields.metadata(of: list)
        guard let field = fields.status else {
            var error = fields.withoutStatus(
                httpStatus: HeaderRules.status(of: list) ?? httpStatus, list)
            error.metadata = trailers
            return CallEnd(error: error, trailers: trailers)
        }
        if fields.statusesDiffer {
            return CallEnd(
                error: RPCError(.unknown, "the server sent more than one grpc-status"),
                knowing: trailers)
        }
        if list.octets.span.extracting(field.value).isSingle(UInt8(ascii: "0")) {
            return CallEnd(error: nil, trailers: trailers)
        }
        let text = list.value(of: field)
        guard let number = Int(text), number >= 0, text.utf8.allSatisfy({ (48...57).contains($0) })
        else {
            return CallEnd(
                error: RPCError(.unknown, "the server's grpc-status '\(text)' is no number"),
                knowing: trailers)
        }
        var message = fields.message.map { PercentCoding.decode(list.value(of: $0)) } ?? ""
        if message.isEmpty, number > 16 { message = "grpc-status \(text), which has no meaning" }
        let details = fields.details.flatMap { Base64.decode(list.octets[$0.value]) } ?? []
        var error = RPCError(Status(StatusCode(rawValue: number), message, details: details))
        error?.metadata = trailers
        return CallEnd(error: error, trailers: trailers)
    }

    /// Whether a `content-type` says that a message of ours follows.
    package static func isGRPC(contentType: String) -> Bool {
        Fields.isGRPC(contentType.utf8Span.span)
    }

    /// The fields that mean something to the protocol, found in one pass.
    fileprivate struct Fields {
        var contentType: HeaderList.Field?
        var status: HeaderList.Field?
        var statusesDiffer = false
        var message: HeaderList.Field?
        var details: HeaderList.Field?
        var encoding: HeaderList.Field?
        /// How many fields belong to the application.
        var customCount = 0

        init(_ list: HeaderList) {
            for index in list.fields.indices {
                let field = list.fields[index]
                // Lengths tell most names apart before any octet is compared.
                switch field.nameByteCount {
                case 7 where list.isName(field, ":status"): break
                case 12 where list.isName(field, "content-type"): contentType = field
                case 11 where list.isName(field, "grpc-status"):
                    if let status, list.octets[status.value] != list.octets[field.value] {
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

extension Span<UInt8> {
    fileprivate func isSingle(_ octet: UInt8) -> Bool { count == 1 && self[0] == octet }
}

extension ResponseHead.Fields {
    /// Whether the response is gRPC at all; the error when it is not.
    func refusal(httpStatus: Int, _ list: HeaderList) -> RPCError? {
        if httpStatus == 200, let contentType,
            Self.isGRPC(list.octets.span.extracting(contentType.value))
        {
            return nil
        }
        return withoutStatus(httpStatus: httpStatus, list)
    }

    /// `application/grpc`, with a subtype behind `+` or parameters behind `;` where there are any.
    /// Others that begin like it, such as `application/grpc-web`, frame their messages in another
    /// way.
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

    /// The error for a response that has no `grpc-status`: from its HTTP status.
    func withoutStatus(httpStatus: Int?, _ list: HeaderList) -> RPCError {
        let code = StatusMapping.code(forHTTPStatus: httpStatus ?? 200)
        var message = "the server ended the call without a grpc-status"
        if let httpStatus, HeaderRules.status(of: list) != nil {
            let type = contentType.map { ", content-type \(list.value(of: $0))" } ?? ""
            message = "the answer is not gRPC: HTTP \(httpStatus)\(type)"
        }
        var error = RPCError(code, message)
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
            metadata.append(receivedBinary: list.octets[field.value], for: name)
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
    /// Adds what a peer sent under a name that ends in `-bin`. Values may come joined by commas.
    package mutating func append(receivedBinary value: some Collection<UInt8>, for name: String) {
        for part in value.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false) {
            let text = part.filter { $0 != UInt8(ascii: " ") }
            // What is not base64 breaks the value and nothing else; it is kept as it came.
            append(
                received: Base64.decode(text).map(Content.bytes)
                    ?? .text(String(decoding: text, as: UTF8.self)), for: name)
        }
    }
}

extension CallEnd {
    /// An end by an error that the trailers explain.
    fileprivate init(error: consuming RPCError, knowing trailers: Metadata) {
        error.metadata = trailers
        self.init(error: error, trailers: trailers)
    }
}

extension HeaderList {
    /// A value without the blanks at its ends, which belong to nobody.
    fileprivate func trimmed(_ field: Field) -> ArraySlice<UInt8> {
        var value = octets[field.value]
        while let octet = value.first, octet == 0x20 || octet == 0x09 { value.removeFirst() }
        while let octet = value.last, octet == 0x20 || octet == 0x09 { value.removeLast() }
        return value
    }
}
