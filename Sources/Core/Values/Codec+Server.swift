// For servers, which decode requests and encode responses: the error texts say "request" and
// "response" accordingly.
extension Codec {
    /// As ``decode(_:)``, for a request.
    package func decodeRequest(_ bytes: Span<UInt8>) throws(RPCError) -> Value {
        do {
            return try decodeBytes(bytes)
        } catch let error as RPCError {
            throw error
        } catch {
            throw RPCError(.internal, "the request cannot be decoded: \(error)")
        }
    }

    /// As ``encode(_:)``, for a response.
    package func encodeReply(_ value: Value) throws(RPCError) -> EncodedMessage {
        do {
            return try encodeMessage(value)
        } catch let error as RPCError {
            throw error
        } catch {
            throw RPCError(.internal, "the response cannot be encoded: \(error)")
        }
    }
}
