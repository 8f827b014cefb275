extension RPCError {
    /// What the server says of the error in `google.rpc.Status`, with details that programs can
    /// read; nil when it sends none. Throws when what it sends cannot be decoded.
    ///
    /// ```swift
    /// if let info = try error.richStatus()?.detail(Google.RPC.ErrorInfo.self) { print(info.reason) }
    /// ```
    public func richStatus() throws(WireError) -> Google.RPC.Status? {
        details.isEmpty ? nil : try Google.RPC.Status(decoding: details.span)
    }

    /// The error that a `google.rpc.Status` is, for what a server throws or a fake answers: its code
    /// and its message, and all of it in ``details``.
    ///
    /// ```swift
    /// var status = Google.RPC.Status(code: 3, message: "the name is empty")
    /// status.add(Google.RPC.ErrorInfo(reason: "NAME_EMPTY", domain: "example.com"))
    /// throw RPCError(status)
    /// ```
    public init(_ status: Google.RPC.Status) {
        self.init(StatusCode(rawValue: Int(status.code)), status.message)
        details = status.encoded()
    }
}
