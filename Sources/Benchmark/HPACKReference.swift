import Foundation
import SwiftletTransport

/// Encodes and decodes the requests of ``HPACKExchange`` with nghttp2, which is loaded at run time if the
/// machine has it. The build needs neither its headers nor its link flags.
///
/// All pointers here live as long as this object or the call that they are passed to.
@safe final class NGHTTP2Exchange {
    /// `nghttp2_nv`, field by field; the flag byte is padded to the end of the word.
    @safe private struct NameValue {
        var name: UnsafeMutablePointer<UInt8>?
        var value: UnsafeMutablePointer<UInt8>?
        var nameByteCount: Int
        var valueByteCount: Int
        var flags: UInt8
    }

    private typealias New = @convention(c) (UnsafeMutablePointer<OpaquePointer?>, Int) -> Int32
    private typealias NewInflater = @convention(c) (UnsafeMutablePointer<OpaquePointer?>) -> Int32
    private typealias Delete = @convention(c) (OpaquePointer?) -> Void
    private typealias Deflate =
        @convention(c) (
            OpaquePointer?, UnsafeMutablePointer<UInt8>, Int, UnsafeRawPointer, Int
        ) -> Int
    private typealias Inflate =
        @convention(c) (
            OpaquePointer?, UnsafeMutableRawPointer, UnsafeMutablePointer<Int32>,
            UnsafePointer<UInt8>, Int, Int32
        ) -> Int
    private typealias EndHeaders = @convention(c) (OpaquePointer?) -> Int32

    private let newDeflater: New
    private let newInflater: NewInflater
    private let deleteDeflater: Delete
    private let deleteInflater: Delete
    private let deflate: Deflate
    private let inflate: Inflate
    private let endHeaders: EndHeaders

    private var fields: [[NameValue]] = []
    private(set) var blockByteCount = 0

    init?(_ requests: [HeaderList]) {
        guard let library = unsafe dlopen("libnghttp2.so.14", RTLD_NOW),
            let newDeflater = unsafe dlsym(library, "nghttp2_hd_deflate_new"),
            let newInflater = unsafe dlsym(library, "nghttp2_hd_inflate_new"),
            let deleteDeflater = unsafe dlsym(library, "nghttp2_hd_deflate_del"),
            let deleteInflater = unsafe dlsym(library, "nghttp2_hd_inflate_del"),
            let deflate = unsafe dlsym(library, "nghttp2_hd_deflate_hd"),
            let inflate = unsafe dlsym(library, "nghttp2_hd_inflate_hd2"),
            let endHeaders = unsafe dlsym(library, "nghttp2_hd_inflate_end_headers")
        else { return nil }
        // The types are those of nghttp2.h, which are stable.
        unsafe self.newDeflater = unsafeBitCast(newDeflater, to: New.self)
        unsafe self.newInflater = unsafeBitCast(newInflater, to: NewInflater.self)
        unsafe self.deleteDeflater = unsafeBitCast(deleteDeflater, to: Delete.self)
        unsafe self.deleteInflater = unsafeBitCast(deleteInflater, to: Delete.self)
        unsafe self.deflate = unsafeBitCast(deflate, to: Deflate.self)
        unsafe self.inflate = unsafeBitCast(inflate, to: Inflate.self)
        unsafe self.endHeaders = unsafeBitCast(endHeaders, to: EndHeaders.self)
        fields = requests.map { list in
            list.fields.map { field in
                unsafe NameValue(
                    name: Self.copy(list.bytes[field.name]),
                    value: Self.copy(list.bytes[field.value]),
                    nameByteCount: field.name.count, valueByteCount: field.value.count,
                    // NGHTTP2_NV_FLAG_NO_INDEX for the fields that this library's encoder does not index
                    // either.
                    flags: field.indexing == .indexed ? 0 : 1)
            }
        }
    }

    /// Bytes that are not freed before the end of the program.
    private static func copy(_ bytes: ArraySlice<UInt8>) -> UnsafeMutablePointer<UInt8>? {
        let copy = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: max(1, bytes.count))
        _ = unsafe copy.initialize(from: bytes)
        return copy.baseAddress
    }

    func run() {
        var deflater: OpaquePointer?
        var inflater: OpaquePointer?
        guard unsafe newDeflater(&deflater, 4096) == 0, unsafe newInflater(&inflater) == 0 else {
            giveUp("nghttp2 gave no compressor")
        }
        defer {
            unsafe deleteDeflater(deflater)
            unsafe deleteInflater(inflater)
        }
        var block = [UInt8](repeating: 0, count: 4096)
        // The same work as in this library's decoder: the fields are copied to one list.
        var list: [UInt8] = []
        var total = 0
        for request in fields {
            let count = unsafe deflate(deflater, &block, block.count, request, request.count)
            guard count > 0 else { giveUp("nghttp2 did not encode") }
            total += count
            list.removeAll(keepingCapacity: true)
            unsafe decode(block, count: count, with: inflater, into: &list)
        }
        blockByteCount = total
    }

    private func decode(
        _ block: [UInt8], count: Int, with inflater: OpaquePointer?, into list: inout [UInt8]
    ) {
        unsafe block.withUnsafeBufferPointer { block in
            guard let start = block.baseAddress else { return }
            var offset = 0
            while true {
                var field = unsafe NameValue(
                    name: nil, value: nil, nameByteCount: 0, valueByteCount: 0, flags: 0)
                var flags: Int32 = 0
                let read = unsafe inflate(
                    inflater, &field, &flags, start + offset, count - offset, 1)
                guard read >= 0 else { giveUp("nghttp2 did not decode") }
                offset += read
                if flags & 2 != 0 {  // NGHTTP2_HD_INFLATE_EMIT
                    unsafe list.append(
                        contentsOf: UnsafeBufferPointer(
                            start: field.name, count: field.nameByteCount))
                    unsafe list.append(
                        contentsOf: UnsafeBufferPointer(
                            start: field.value, count: field.valueByteCount))
                }
                if flags & 1 != 0 { break }  // NGHTTP2_HD_INFLATE_FINAL
            }
            _ = unsafe endHeaders(inflater)
        }
    }
}
