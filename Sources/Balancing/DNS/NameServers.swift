package import SwiftletTransport

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// The name servers of the system and the settings of resolv.conf(5).
package struct NameServers: Hashable, Sendable {
    private static let port: UInt16 = 53
    private static let maxServerCount = 3
    private static let maxDomainCount = 6
    private static let maxFileByteCount = 1 << 16

    /// In the order in which they are queried. If the file names none, this machine.
    package var addresses: [SocketAddress] = [.ipv4Loopback(port: port)]
    /// Domains that a name is looked up in.
    package var searchDomains: [String] = []
    /// A name with fewer dots is looked up in the search domains first.
    package var dotCount = 1
    /// How long each server has to answer.
    package var timeout = Duration.seconds(5)
    /// How often each server is queried.
    package var attemptCount = 2

    package init(_ addresses: [SocketAddress]) { self.addresses = addresses }

    /// Reads the text of resolv.conf(5). Lines that are not understood are ignored, as the system does.
    package init(configuration text: String) {
        var servers: [SocketAddress] = []
        for line in text.utf8.split(whereSeparator: { $0 == 0x0a || $0 == 0x0d }) {
            let words = line.split(whereSeparator: { $0 == 0x20 || $0 == 0x09 })
                .compactMap { String($0) }
            switch words.first {
            case "nameserver" where words.count > 1:
                if let server = SocketAddress(host: words[1], port: Self.port) {
                    servers.append(server)
                }
            case "search", "domain":
                searchDomains = words.dropFirst().prefix(Self.maxDomainCount)
                    .compactMap(Self.domain)
            case "options": for word in words.dropFirst() { readOption(word) }
            default: break
            }
        }
        if !servers.isEmpty { addresses = Array(servers.prefix(Self.maxServerCount)) }
    }

    /// A search domain without the dot of the root at its end. Nil for the root itself: a name is
    /// looked up there anyway.
    private static func domain(_ word: String) -> String? {
        let domain = word.utf8.last == UInt8(ascii: ".") ? String(word.dropLast()) : word
        return domain.isEmpty ? nil : domain
    }

    private mutating func readOption(_ word: String) {
        let parts = word.split(separator: ":", maxSplits: 1)
        guard parts.count == 2, let number = Int(parts[1]), number >= 0 else { return }
        // The limits of the system.
        switch parts[0] {
        case "ndots": dotCount = min(number, 15)
        case "timeout": timeout = .seconds(max(1, min(number, 30)))
        case "attempts": attemptCount = max(1, min(number, 5))
        default: break
        }
    }

    /// Reads `/etc/resolv.conf`. If the file cannot be read, the name server is this machine.
    package static func ofSystem() -> NameServers {
        NameServers(configuration: contents(of: "/etc/resolv.conf"))
    }

    /// The names to look up for `name`, in order.
    package func candidates(for name: String) -> [String] {
        if name.utf8.last == UInt8(ascii: ".") { return [name] }
        let inDomains = searchDomains.map { "\(name).\($0)" }
        let isWhole = name.utf8.count { $0 == UInt8(ascii: ".") } >= dotCount
        return isWhole ? [name] + inDomains : inDomains + [name]
    }

    private static func contents(of path: String) -> String {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return "" }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: maxFileByteCount)
        var count = 0
        while count < bytes.count {
            let added: Int = unsafe bytes.withUnsafeMutableBytes { buffer in
                // In bounds: the count is below the buffer's.
                unsafe read(
                    descriptor, buffer.baseAddress?.advanced(by: count), buffer.count - count)
            }
            guard added > 0 else { break }
            count += added
        }
        return String(decoding: bytes[..<count], as: UTF8.self)
    }
}
