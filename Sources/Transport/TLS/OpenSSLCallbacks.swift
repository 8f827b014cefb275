/// What OpenSSL asks during a step. Each finds its session through the SSL object, where the
/// session put a pointer to itself that is valid for as long as that object.
enum OpenSSLCallbacks {
    private static func session(_ ssl: OpaquePointer?) -> OpenSSLSession? {
        guard let library = try? OpenSSLLibrary.loaded.get(),
            let data = unsafe library.sslGetExData(ssl, OpenSSLSession.dataIndex)
        else { return nil }
        return unsafe Unmanaged<OpenSSLSession>.fromOpaque(data).takeUnretainedValue()
    }

    /// Remembers why a certificate was refused, while it is at hand; does not change the verdict.
    static var verify: OpenSSLLibrary.VerifyCallback {
        { isAccepted, store in
            guard isAccepted == 0, let library = try? OpenSSLLibrary.loaded.get() else {
                return isAccepted
            }
            let index = library.sslGetExDataX509StoreCtxIdx()
            let ssl = unsafe library.x509StoreCtxGetExData(store, index)
            guard let session = unsafe OpenSSLCallbacks.session(OpaquePointer(ssl)) else {
                return 0
            }
            unsafe session.refuse(
                library.x509StoreCtxGetError(store), library.x509StoreCtxGetCurrentCert(store))
            return 0
        }
    }

    /// 1 says that the ticket's reference is ours now.
    static var newTicket: OpenSSLLibrary.NewTicketCallback {
        { ssl, ticket in
            guard let ticket = unsafe ticket, let session = unsafe OpenSSLCallbacks.session(ssl),
                let host = session.host
            else { return 0 }
            let library = session.context.library
            unsafe session.context.tickets.store(
                OpenSSLTicket(adopting: ticket, library), for: host)
            return 1
        }
    }

    /// The first of our protocols that the client offers (RFC 7301 §3.2).
    static var selectProtocol: OpenSSLLibrary.SelectProtocolCallback {
        { ssl, selected, selectedCount, offered, offeredCount, _ in
            let ok: CInt = 0
            let fatalAlert: CInt = 2
            let noAnswer: CInt = 3
            guard let session = unsafe OpenSSLCallbacks.session(ssl), let offered = unsafe offered
            else {
                return noAnswer
            }
            let ours = session.context.configuration.applicationProtocols
            if ours.isEmpty { return noAnswer }
            let list = unsafe UnsafeBufferPointer(start: offered, count: Int(offeredCount))
            for name in ours.map({ Array($0.utf8) }) {
                var start = 0
                // OpenSSL checked that the lengths add up; a wrong one ends the search all the same.
                while start < list.count {
                    let end = unsafe start + 1 + Int(list[start])
                    guard end <= list.count else { break }
                    if unsafe list[start + 1..<end].elementsEqual(name) {
                        // The answer lies in the offer, which outlives this call.
                        unsafe selected?.pointee = unsafe offered + start + 1
                        unsafe selectedCount?.pointee = unsafe list[start]
                        return ok
                    }
                    start = end
                }
            }
            return fatalAlert
        }
    }

    static var keyLog: OpenSSLLibrary.KeyLogCallback {
        { ssl, line in
            guard let line = unsafe line, let session = unsafe OpenSSLCallbacks.session(ssl) else {
                return
            }
            session.context.keyLog?.append(unsafe String(cString: line))
        }
    }
}
