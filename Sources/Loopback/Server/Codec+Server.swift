import SwiftletCore

// For servers, which decode requests and encode responses. The error texts name the request and the
// response accordingly.
extension Codec {
    /// Does the same as ``decode(_:)``, for a request.
    func decodeRequest(_ bytes: Span<UInt8>) throws(RPCError) -> Value {
        do {
            return try parts.decode(bytes)
        } catch let error as RPCError {
            throw error
        } catch {
            throw RPCError(.internal, "the request cannot be decoded: \(error)")
        }
    }

    /// Does the same as ``encode(_:)``, for a response.
    func encodeReply(_ value: Value) throws(RPCError) -> EncodedMessage {
        do {
            return try parts.encode(value)
        } catch let error as RPCError {
            throw error
        } catch {
            throw RPCError(.internal, "the response cannot be encoded: \(error)")
        }
    }
}
