extension CompressionAlgorithm {
    /// zlib's `windowBits`: 15 for its own format, 16 more for gzip's. Nil for what is not
    /// zlib's business.
    fileprivate var windowBits: Int32? {
        switch self {
        case .gzip: 31
        case .deflate: 15
        default: nil
        }
    }

    fileprivate func library() throws(RPCError) -> (ZlibLibrary, windowBits: Int32) {
        guard let windowBits else {
            throw RPCError(.internal, "messages cannot be compressed with '\(name)' here")
        }
        guard let library = ZlibLibrary.shared else {
            throw RPCError(
                .internal,
                "compression needs zlib, which this machine does not have "
                    + "(Debian and Ubuntu: zlib1g; Fedora: zlib; Alpine: zlib)")
        }
        return (library, windowBits)
    }
}

/// Makes messages smaller.
enum Compressor {
    /// The compressed form of `octets`, behind so many zero octets.
    static func compress(
        _ octets: Span<UInt8>, _ algorithm: CompressionAlgorithm, reservingPrefix: Int
    ) throws(RPCError) -> [UInt8] {
        let (library, windowBits) = try algorithm.library()
        var stream = unsafe ZlibLibrary.Stream()
        // Defaults of level, method (deflate), memory and strategy.
        let status = unsafe library.deflateInit(
            &stream, -1, 8, windowBits, 8, 0, ZlibLibrary.version,
            Int32(MemoryLayout<ZlibLibrary.Stream>.size))
        guard status == ZlibLibrary.ok else {
            throw RPCError(.internal, "zlib cannot compress (\(status))")
        }
        defer { _ = unsafe library.deflateEnd(&stream) }
        // Incompressible input grows by five octets in 16 KiB, and by the wrapper.
        var output = [UInt8](
            repeating: 0, count: reservingPrefix + octets.count + octets.count / 1000 + 64)
        let written = unsafe octets.withUnsafeBufferPointer { input in
            unsafe output.withUnsafeMutableBufferPointer { room in
                // Both pointers live in these closures, and their counts bound them.
                unsafe stream.nextIn = input.baseAddress
                unsafe stream.availableIn = UInt32(clamping: input.count)
                unsafe stream.nextOut = room.baseAddress.map { unsafe $0 + reservingPrefix }
                unsafe stream.availableOut = UInt32(clamping: room.count - reservingPrefix)
                guard unsafe library.deflate(&stream, ZlibLibrary.finish) == ZlibLibrary.streamEnd
                else { return -1 }
                return Int(unsafe stream.totalOut)
            }
        }
        guard written >= 0 else { throw RPCError(.internal, "zlib did not finish compressing") }
        output.removeLast(output.count - reservingPrefix - written)
        return output
    }
}

/// Makes them what they were.
package enum Decompressor {
    private static let firstByteCount = 4 << 10

    /// The message in `octets`. Stops as soon as it turns out larger than `maxByteCount`, so that
    /// a few octets cannot become gigabytes.
    package static func decompress(
        _ octets: [UInt8], _ algorithm: CompressionAlgorithm, maxByteCount: Int?
    ) throws(RPCError) -> [UInt8] {
        guard algorithm != .identity else {
            throw RPCError(
                .internal, "the server sent a compressed message and no grpc-encoding")
        }
        let (library, windowBits) = try algorithm.library()
        var stream = unsafe ZlibLibrary.Stream()
        let status = unsafe library.inflateInit(
            &stream, windowBits, ZlibLibrary.version,
            Int32(MemoryLayout<ZlibLibrary.Stream>.size))
        guard status == ZlibLibrary.ok else {
            throw RPCError(.internal, "zlib cannot decompress (\(status))")
        }
        defer { _ = unsafe library.inflateEnd(&stream) }

        // Below the top, so that one octet above it can be counted.
        let limit = min(maxByteCount ?? Int(Int32.max), Int(Int32.max))
        var output = [UInt8](
            repeating: 0, count: min(max(Self.firstByteCount, octets.count * 4), limit + 1))
        var produced = 0
        // Of the input, up to the end of the last step.
        var consumed = 0
        while true {
            let outcome = unsafe octets.withUnsafeBufferPointer { input in
                unsafe output.withUnsafeMutableBufferPointer { room in
                    // What was read and written before is skipped; the counts bound the rest.
                    unsafe stream.nextIn = input.baseAddress.map { unsafe $0 + consumed }
                    unsafe stream.availableIn = UInt32(clamping: input.count - consumed)
                    unsafe stream.nextOut = room.baseAddress.map { unsafe $0 + produced }
                    unsafe stream.availableOut = UInt32(clamping: room.count - produced)
                    return unsafe library.inflate(&stream, ZlibLibrary.noFlush)
                }
            }
            produced = output.count - Int(unsafe stream.availableOut)
            consumed = octets.count - Int(unsafe stream.availableIn)
            guard produced <= limit else {
                throw RPCError(
                    .resourceExhausted,
                    "the server sent a message that decompresses to more than \(limit) octets")
            }
            switch outcome {
            case ZlibLibrary.streamEnd where consumed == octets.count:
                output.removeLast(output.count - produced)
                return output
            case ZlibLibrary.streamEnd:
                // RFC 1952 §2.2: what gzip makes is a series of members. Deflate has but one.
                guard algorithm == .gzip,
                    unsafe library.inflateReset(&stream) == ZlibLibrary.ok
                else {
                    throw RPCError(
                        .internal, "octets follow the end of a message in \(algorithm.name)")
                }
            case ZlibLibrary.ok where produced == output.count,
                ZlibLibrary.bufferError where produced == output.count:
                break
            default: throw RPCError(.internal, "a message is not valid \(algorithm.name)")
            }
            guard produced == output.count else { continue }
            output += [UInt8](repeating: 0, count: min(output.count, limit + 1 - output.count))
        }
    }
}
