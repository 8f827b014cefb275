// Prints the OpenSSL that the library found, and makes a call over TLS.
//   main CERTIFICATES [--load PATH]
import Glibc
import Swiftlet
import SwiftletLoopback

#if LINKED
    import COpenSSLFunctions
#endif

let arguments = CommandLine.arguments
do {
    #if LINKED
        try unsafe TLSLibrary.link { unsafe UnsafeRawPointer(openssl_function($0)) }
    #endif
    if arguments.count > 3 { try TLSLibrary.load(from: arguments[3]) }
    print(try TLSLibrary.name())

    let echo = Method<[UInt8], [UInt8]>("/t.T/Echo", .unary, request: .bytes, reply: .bytes)
    func text(_ name: String) throws -> String {
        guard let file = unsafe fopen("\(arguments[1])/\(name)", "r") else { return "" }
        defer { unsafe fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 16_384)
        let count = unsafe fread(&bytes, 1, bytes.count, file)
        return String(decoding: bytes.prefix(count), as: UTF8.self)
    }
    let tls = ServerTLS(
        certificateChain: try text("server.pem"), privateKey: try text("server.key"))
    let server = try LoopbackServer(tls: tls) { $0.unary(echo) { request, _ in request } }
    var options = TLSOptions()
    options.rootCertificates = .file("\(arguments[1])/ca.pem")
    let channel = try Channel(server.target, credentials: .tls(options))
    let body = [UInt8](repeating: 7, count: 1 << 20)
    for _ in 0..<3 {
        guard try await channel.unary(echo, body) == body else { fatalError("another answer") }
    }
    await channel.close()
    print("called over TLS")
} catch let error as RPCError {
    print("\(error.code): \(error.message)")
}
