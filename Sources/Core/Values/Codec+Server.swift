// A server reads requests and writes responses, and an error has to name what it is about.
extension Codec {
    /// The same as ``decode(_:)``, for whom the octets are a request.
    package func decodeRequest(_ octets: Span<UInt8>) throws(RPCError) -> Value {
        do {
            return try decodeOctets(octets)
        } catch let error as RPCError {
            throw error
        } catch {
            throw RPCError(.internal, "the request cannot be decoded: \(error)")
        }
    }

    /// The same as ``encode(_:)``, for whom the value is a response.
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
