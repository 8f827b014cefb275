import Foundation
import Testing

@testable import SwiftletTransport

@Suite("A socket")
struct SocketsConnectTests {
    @Test("connects, and carries bytes both ways")
    func echo() throws {
        for address in SocketsConnectTests.listenAddresses("echo") {
            let listener = try Listener(on: address)
            var client = try Socket.connected(to: listener.address)
            var server = try listener.awaitSocket()
            try client.sendAll(Array("hello".utf8))
            #expect(try server.readAll(5) == Array("hello".utf8))
            try server.sendAll(Array("world!".utf8))
            #expect(try client.readAll(6) == Array("world!".utf8))
            try client.endWriting()
            #expect(try server.readOutcome() == .endOfStream)
            address.removeFile()
        }
    }

    @Test("names the address that refused")
    func refused() throws {
        let address = try Listener(on: .ipv4Loopback(port: 0)).address
        let error = #expect(throws: SystemError.self) { _ = try Socket.connected(to: address) }
        #expect(error?.description == "connect \(address): connection refused")
    }

    @Test("names the path that does not exist")
    func missingPath() throws {
        let error = #expect(throws: SystemError.self) {
            _ = try Socket.connected(to: .unix(path: "/nowhere/at/all"))
        }
        #expect(error?.description == "connect unix:/nowhere/at/all: no such file or directory")
    }

    @Test("names the address that is in use")
    func inUse() throws {
        let first = try Listener(on: .ipv4Loopback(port: 0))
        let address = first.address
        let error = #expect(throws: SystemError.self) { _ = try Listener(on: address) }
        #expect(error?.description == "bind \(address): address already in use")
        _ = first.descriptor
    }

    @Test("leaks no descriptor, whether connecting succeeds, fails or is cancelled")
    func leaks() async {
        // In another process, where no other test opens descriptors.
        await #expect(processExitsWith: .success) {
            let refused = try Listener(on: .ipv4Loopback(port: 0)).address
            // A listener with a full queue does not answer, so connecting continues until it is cancelled.
            let deaf = try Listener(on: .ipv4Loopback(port: 0), backlog: 0)
            for _ in 0..<4 {
                let queued = try Socket(for: deaf.address)
                _ = try queued.startConnecting(to: deaf.address)
                // Stays open to the end of the process.
                _ = dup(queued.descriptor)
            }
            let before = try Self.openDescriptorCount()
            for _ in 0..<100 {
                _ = try? Socket.connected(to: refused)
                _ = try? Socket.connected(to: .unix(path: "/nowhere"))
                _ = try? Socket.connected(to: .unix(path: String(repeating: "x", count: 200)))
                _ = try? Listener(on: deaf.address)
                let waiting = try Socket(for: deaf.address)
                #expect(try waiting.startConnecting(to: deaf.address) == .inProgress)
                _ = try Poller()
            }
            let after = try Self.openDescriptorCount()
            // A leak in each turn adds up to a hundred descriptors. The test library may open a few.
            #expect(after < before + 50, "\(before) before, \(after) after")
        }
    }

    @Test("is close-on-exec and non-blocking, however it was made")
    func flags() throws {
        let listener = try Listener(on: .ipv4Loopback(port: 0))
        let client = try Socket.connected(to: listener.address)
        let accepted = try listener.awaitSocket()
        for descriptor in [listener.descriptor, client.descriptor, accepted.descriptor] {
            #expect(fcntl(descriptor, F_GETFD) & FD_CLOEXEC != 0)
            #expect(fcntl(descriptor, F_GETFL) & O_NONBLOCK != 0)
        }
        try Socket.withPair { left, right in
            #expect(fcntl(left.descriptor, F_GETFD) & FD_CLOEXEC != 0)
            #expect(fcntl(right.descriptor, F_GETFL) & O_NONBLOCK != 0)
        }
    }

    @Test("reports a closed connection as an error, not as a signal")
    func brokenPipe() throws {
        try Socket.withPair { left, right in
            discardSocket(right)
            var list = GatherList()
            list.append(copying: [1, 2, 3])
            let error = #expect(throws: SystemError.self) { try left.write(gathering: &list) }
            #expect(error?.description == "write: broken pipe")
            // The same with several pieces, which are written with another system call.
            list.append(referencing: [UInt8](repeating: 0, count: 4_096))
            let second = #expect(throws: SystemError.self) { try left.write(gathering: &list) }
            #expect(second?.code == EPIPE)
        }
    }

    @Test("has an error without the text of a number that no system call has set")
    func errorOfTLS() {
        #expect(SystemError("write", "TLS: closed", code: 0).description == "write TLS: closed")
        #expect(SystemError("write", "", code: EPIPE).description == "write: broken pipe")
    }

    @Test("has its options set")
    func options() throws {
        let listener = try Listener(on: .ipv4Loopback(port: 0))
        let client = try Socket.connected(to: listener.address)
        try client.setTCPOptions(userTimeout: .milliseconds(12_345))
        #expect(try client.option(TCP_NODELAY) != 0)
        #if os(Linux)
            #expect(try client.option(TCP_USER_TIMEOUT) == 12_345)
        #endif
    }
}

extension Socket {
    /// An option of TCP, as the system has it.
    fileprivate func option(_ option: CInt) throws -> CInt {
        var value: CInt = 0
        var size = socklen_t(MemoryLayout<CInt>.size)
        try #require(
            unsafe getsockopt(descriptor, CInt(IPPROTO_TCP), option, &value, &size) == 0)
        return value
    }
}

extension SocketsConnectTests {
    /// TCP over both families, and Unix-domain sockets of both kinds.
    static func listenAddresses(_ name: String) -> [SocketAddress] {
        let unique = "swiftlet-\(name)-\(getpid())"
        var addresses: [SocketAddress] = [
            .ipv4Loopback(port: 0),
            .unix(path: NSTemporaryDirectory() + unique),
        ]
        if (try? Listener(on: .ipv6Loopback(port: 0))) != nil {
            addresses.append(.ipv6Loopback(port: 0))
        }
        #if os(Linux)
            addresses.append(.unixAbstract(name: Array(unique.utf8)))
        #endif
        return addresses
    }

    static func openDescriptorCount() throws -> Int {
        let folder =
            FileManager.default.fileExists(atPath: "/proc/self/fd") ? "/proc/self/fd" : "/dev/fd"
        return try FileManager.default.contentsOfDirectory(atPath: folder).count
    }
}
