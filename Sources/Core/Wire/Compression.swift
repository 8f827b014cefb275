extension CompressionAlgorithm {
    /// The argument `windowBits` of zlib: 15 for its own format, 31 for gzip. Nil for algorithms
    /// that do not use zlib.
    fileprivate var windowBits: Int32? {
        switch self {
        case .gzip: 31
        case .deflate: 15
        default: nil
        }
    }

    fileprivate func library() throws(RPCError) -> (ZlibLibrary, windowBits: Int32) {
        guard let windowBits, let library = ZlibLibrary.shared else {
            throw RPCError(.internal, whyUnsupported)
        }
        return (library, windowBits)
    }

    /// Why messages cannot be compressed in this way.
    var whyUnsupported: String {
        guard windowBits != nil else { return "the compression '\(name)' is not supported" }
        return "the compression '\(name)' needs zlib, which this machine does not have "
            + "(Debian and Ubuntu: zlib1g; Fedora: zlib; Alpine: zlib)"
    }
}

/// Compresses messages.
enum Compressor {
    /// Returns the compressed form of `bytes`, after `reservingPrefix` zeros.
    static func compress(
        _ bytes: Span<UInt8>, _ algorithm: CompressionAlgorithm, reservingPrefix: Int
    ) throws(RPCError) -> [UInt8] {
        let (library, windowBits) = try algorithm.library()
        var stream = unsafe ZlibLibrary.Stream()
        // The defaults of level, method (deflate), memory and strategy.
        let status = unsafe library.deflateInit(
            &stream, -1, 8, windowBits, 8, 0, ZlibLibrary.version,
            Int32(MemoryLayout<ZlibLibrary.Stream>.size))
        guard status == ZlibLibrary.ok else {
            throw RPCError(.internal, "zlib cannot compress (\(status))")
        }
        defer { _ = unsafe library.deflateEnd(&stream) }
        // Incompressible input grows by five bytes for each 16 KiB, plus the header and trailer of
        // the format.
        var output = [UInt8](
            repeating: 0, count: reservingPrefix + bytes.count + bytes.count / 1000 + 64)
        let written = unsafe bytes.withUnsafeBufferPointer { input in
            unsafe output.withUnsafeMutableBufferPointer { room in
                // Both pointers are valid in these closures, and their counts bound them.
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

/// Decompresses messages.
enum Decompressor {
    private static let firstByteCount = 4 << 10

    /// Returns the decompressed form of `bytes`. Throws RESOURCE_EXHAUSTED as soon as it is larger
    /// than `maxByteCount`, so that a few bytes cannot become gigabytes.
    static func decompress(
        _ bytes: [UInt8], _ algorithm: CompressionAlgorithm, maxByteCount: Int?
    ) throws(RPCError) -> [UInt8] {
        guard algorithm != .identity else {
            throw RPCError(
                .internal, "the server sent a compressed message without a grpc-encoding")
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

        // At most Int32.max, so that zlib's 32-bit counts can represent the limit plus one byte.
        let limit = min(maxByteCount ?? Int(Int32.max), Int(Int32.max))
        var output = [UInt8](
            repeating: 0, count: min(max(Self.firstByteCount, bytes.count * 4), limit + 1))
        var produced = 0
        // The position in the input after the last step.
        var consumed = 0
        while true {
            let outcome = unsafe bytes.withUnsafeBufferPointer { input in
                unsafe output.withUnsafeMutableBufferPointer { room in
                    // Skips the bytes that were read and written before. The counts bound the rest.
                    unsafe stream.nextIn = input.baseAddress.map { unsafe $0 + consumed }
                    unsafe stream.availableIn = UInt32(clamping: input.count - consumed)
                    unsafe stream.nextOut = room.baseAddress.map { unsafe $0 + produced }
                    unsafe stream.availableOut = UInt32(clamping: room.count - produced)
                    return unsafe library.inflate(&stream, ZlibLibrary.noFlush)
                }
            }
            produced = output.count - Int(unsafe stream.availableOut)
            consumed = bytes.count - Int(unsafe stream.availableIn)
            guard produced <= limit else {
                throw RPCError(
                    .resourceExhausted,
                    "the server sent a message that decompresses to more than \(limit) bytes")
            }
            switch outcome {
            case ZlibLibrary.streamEnd where consumed == bytes.count:
                output.removeLast(output.count - produced)
                return output
            case ZlibLibrary.streamEnd:
                // RFC 1952 §2.2: a gzip stream is a series of members. A deflate stream has one.
                guard algorithm == .gzip,
                    unsafe library.inflateReset(&stream) == ZlibLibrary.ok
                else {
                    throw RPCError(
                        .internal,
                        "the server sent bytes after the end of a message in \(algorithm.name)")
                }
            case ZlibLibrary.ok where produced == output.count,
                ZlibLibrary.bufferError where produced == output.count:
                break
            default:
                throw RPCError(
                    .internal, "the server sent a message that is not valid \(algorithm.name)")
            }
            guard produced == output.count else { continue }
            output += [UInt8](repeating: 0, count: min(output.count, limit + 1 - output.count))
        }
    }
}
