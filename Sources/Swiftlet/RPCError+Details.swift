extension RPCError {
    /// The `google.rpc.Status` that the server sent with the error. Nil if it sent none. Throws if the status
    /// cannot be decoded.
    ///
    /// ```swift
    /// import SwiftletWellKnown  // for ErrorInfo
    ///
    /// if let info = try error.richStatus()?.detail(Google.RPC.ErrorInfo.self) { print(info.reason) }
    /// ```
    public func richStatus() throws(WireError) -> Google.RPC.Status? {
        details.isEmpty ? nil : try Google.RPC.Status(decoding: details)
    }

    /// An error with the code and message of a `google.rpc.Status`. ``details`` contains the whole status.
    /// For servers and fakes.
    ///
    /// ```swift
    /// import SwiftletWellKnown  // for ErrorInfo
    ///
    /// var status = Google.RPC.Status(code: 3, message: "the name is empty")
    /// status.add(Google.RPC.ErrorInfo(reason: "NAME_EMPTY", domain: "example.com"))
    /// throw RPCError(status)
    /// ```
    public init(_ status: Google.RPC.Status) {
        self.init(StatusCode(rawValue: Int(status.code)), status.message)
        details = status.encoded()
    }
}
