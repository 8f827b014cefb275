package import SwiftletTransport

/// The headers of a request (PROTOCOL-HTTP2, "Requests"), in two parts: fields that are the same
/// for many calls, and the others.
package enum RequestHead {
    static func commonFields(
        path: String, contentSubtype: String?, compression: CompressionAlgorithm,
        authority: String, scheme: String, userAgent: String
    ) -> HeaderList {
        var list = HeaderList()
        list.append(":method", "POST")
        list.append(":scheme", scheme)
        list.append(":path", path)
        list.append(":authority", authority)
        list.append("te", "trailers")
        list.append(
            "content-type", contentSubtype.map { "application/grpc+\($0)" } ?? "application/grpc")
        list.append("user-agent", userAgent)
        list.append("grpc-accept-encoding", CompressionAlgorithm.accepted)
        if compression != .identity { list.append("grpc-encoding", compression.name) }
        return list
    }

    /// The fields that differ from call to call.
    package static func fields(_ metadata: Metadata, deadline: Deadline) -> HeaderList {
        var list = HeaderList()
        append(metadata, deadline: deadline, to: &list)
        return list
    }

    /// Appends the fields that differ from call to call.
    static func append(
        _ metadata: Metadata, deadline: Deadline, to list: inout HeaderList
    ) {
        if let remaining = deadline.remaining {
            list.append("grpc-timeout", GRPCTimeout.encode(remaining), .unindexed)
        }
        for element in metadata { list.append(element) }
    }
}

extension HeaderList {
    package mutating func append(_ element: Metadata.Element) {
        switch element.value {
        case .text(let text):
            append(element.name, text, MetadataRules.isSecret(element.name) ? .never : .indexed)
        case .bytes(let bytes):
            append(element.name, Base64.encode(bytes))
        }
    }
}

/// The prepared headers of a channel. Each list of headers is made once, because the connection's
/// compressor recognizes it by identity.
struct RequestHeadCache {
    private struct Entry {
        var method: MethodSignature
        var compression: CompressionAlgorithm
        var prepared: PreparedHeaders

        /// The parameter is the call and not its head, so that the head is not copied.
        func isFor(_ call: CallCore, _ otherAuthority: String?) -> Bool {
            method.isSame(as: call.head.method) && prepared.otherAuthority == otherAuthority
                && compression == call.head.compression
        }
    }

    private static let capacity = 64
    /// The most recently used entry is the first.
    private var entries: [Entry] = []

    /// The headers of the first entry, if it is for calls with default headers. They are found
    /// without comparing names. The entry keeps the method alive, so that the identity stays valid.
    private var ordinary: PreparedHeaders?
    private var ordinaryMethod: ObjectIdentifier?
    /// The error of gRPC calls; nil if the channel can carry them.
    private let refusalOfGRPC: RPCError?
    /// Whether the scheme is that of the encrypted connections, and the channel may have others.
    private let hasInsecure: Bool

    init(refusalOfGRPC: RPCError? = nil, hasInsecure: Bool = false) {
        self.refusalOfGRPC = refusalOfGRPC
        self.hasInsecure = hasInsecure
    }
}

extension RequestHeadCache {
    /// - Parameter picked: The authority of the picker, which the call's own replaces; nil for none.
    mutating func prepared(
        for call: CallCore, picked: String? = nil, defaultAuthority: String, scheme: String,
        userAgent: String
    ) throws(RPCError) -> PreparedHeaders {
        let method = ObjectIdentifier(call.head.method)
        let hasDefaultHeaders = call.head.hasDefaultHeaders && picked == nil
        if hasDefaultHeaders, method == ordinaryMethod, let ordinary { return ordinary }
        let prepared = try find(
            for: call, call.head.options.authority ?? picked, defaultAuthority: defaultAuthority,
            scheme: scheme, userAgent: userAgent)
        // The first entry has this method now, and keeps it alive.
        ordinary = hasDefaultHeaders ? prepared : nil
        ordinaryMethod = hasDefaultHeaders ? method : nil
        return prepared
    }

    private mutating func find(
        for call: CallCore, _ otherAuthority: String?, defaultAuthority: String, scheme: String,
        userAgent: String
    ) throws(RPCError) -> PreparedHeaders {
        for index in entries.indices where entries[index].isFor(call, otherAuthority) {
            if index > 0 { entries.swapAt(index, 0) }
            // Found by its identity from now on, also by a program that makes its methods again and again.
            entries[0].method = call.head.method
            return entries[0].prepared
        }
        let head = call.head
        let authority = otherAuthority ?? defaultAuthority
        if let refusalOfGRPC, !head.isPlain { throw refusalOfGRPC }
        try Self.check(head, authority: authority, userAgent: userAgent)
        let method = head.method
        func list(_ scheme: String) -> HeaderList {
            method.plain.map {
                $0.head(
                    path: method.path, authority: authority, scheme: scheme, userAgent: userAgent)
            }
                ?? RequestHead.commonFields(
                    path: method.path, contentSubtype: method.contentSubtype,
                    compression: head.compression, authority: authority, scheme: scheme,
                    userAgent: userAgent)
        }
        let prepared = PreparedHeaders(
            list(scheme), otherAuthority: otherAuthority,
            insecure: hasInsecure ? PreparedHeaders(list("http")) : nil)
        if entries.count == Self.capacity { entries.removeLast() }
        entries.insert(
            Entry(method: method, compression: head.compression, prepared: prepared), at: 0)
        return prepared
    }

    private static func check(
        _ head: CallHead, authority: String, userAgent: String
    ) throws(RPCError) {
        try checkWord("the authority", authority)
        try check("the user agent", userAgent, 0x20...0x7e)
        if let subtype = head.method.contentSubtype {
            try checkWord("the content subtype", subtype)
        }
        if let plain = head.method.plain {
            try checkWord("the method", plain.method.rawValue)
            try check("the content type", plain.contentType ?? "", 0x20...0x7e)
            try check("the accept header", plain.accept, 0x20...0x7e)
        } else if !CompressionAlgorithm.supported.contains(head.compression) {
            // Checked here, because the check of the first message is too late: a stream may have
            // no messages.
            throw .refused(.internal, head.compression.whyUnsupported)
        }
    }

    private static func checkWord(_ what: String, _ value: String) throws(RPCError) {
        guard !value.isEmpty else { throw .refused(.invalidArgument, "\(what) is empty") }
        try check(what, value, 0x21...0x7e)
    }

    /// Checks text that the program supplies. It must not contain bytes that are not allowed in a
    /// header, such as line feeds.
    private static func check(
        _ what: String, _ value: String, _ legal: ClosedRange<UInt8>
    ) throws(RPCError) {
        guard let byte = value.utf8.first(where: { !legal.contains($0) }) else { return }
        throw .refused(
            .invalidArgument,
            "\(what) '\(value)' contains the byte 0x\(String(byte, radix: 16)), "
                + "which a header must not contain")
    }
}

extension MethodSignature {
    /// Usually a method is created once, so that the identities are equal. Otherwise the contents
    /// are compared.
    fileprivate func isSame(as other: MethodSignature) -> Bool {
        self === other
            || path == other.path && contentSubtype == other.contentSubtype && plain == other.plain
    }
}
