#if os(Linux)
    import Testing

    @testable import SwiftletTransport

    @Suite("An address of vsock")
    struct VsockTests {
        private static let anyPort = UInt32.max
        private static let localCID: UInt32 = 1

        @Test("is the same after conversion to the system's representation and back")
        func roundTrip() throws {
            let address = SocketAddress.vsock(cid: 3, port: 0x0102_0304)
            let back = try unsafe address.withSystemAddress(for: "test") { pointer, length in
                unsafe SocketAddress(system: pointer, length: Int(length))
            }
            #expect(back == address)
            #expect("\(address)" == "vsock:3:16909060")
            #expect(!address.isTCP)
            #expect(address.port == nil)
        }

        /// Why a connection to this machine over vsock is not possible; nil if it is.
        private static let failure: String? = {
            do throws(SystemError) {
                let listener = try Listener(on: .vsock(cid: localCID, port: anyPort))
                listener.stop()
                return nil
            } catch {
                return "the kernel has no vsock_loopback: \(error)"
            }
        }()

        @Test(
            "connects to this machine",
            .enabled(if: failure == nil, "\(failure ?? "the kernel has vsock_loopback")"))
        func connects() throws {
            let listener = try Listener(on: .vsock(cid: Self.localCID, port: Self.anyPort))
            defer { listener.stop() }
            guard case .vsock(Self.localCID, let port) = listener.address else {
                Issue.record("the listener has another address: \(listener.address)")
                return
            }
            var client = try Socket.connected(to: .vsock(cid: Self.localCID, port: port))
            var server = try listener.awaitSocket()
            try client.sendAll([1, 2, 3])
            #expect(try server.readAll(3) == [1, 2, 3])
        }
    }
#endif
