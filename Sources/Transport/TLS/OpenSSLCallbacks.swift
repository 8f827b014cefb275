/// The functions that OpenSSL calls during a step. Each finds its session through the SSL object. That object
/// has a pointer to the session, which is valid as long as the object.
enum OpenSSLCallbacks {
    private static func session(_ ssl: OpaquePointer?) -> OpenSSLSession? {
        guard let library = OpenSSLLibrary.inUse,
            let data = unsafe library.sslGetExData(ssl, OpenSSLSession.dataIndex)
        else { return nil }
        return unsafe Unmanaged<OpenSSLSession>.fromOpaque(data).takeUnretainedValue()
    }

    /// Records why a certificate was refused. Does not change the result.
    static var verify: OpenSSLLibrary.VerifyCallback {
        { isAccepted, store in
            guard isAccepted == 0, let library = OpenSSLLibrary.inUse else {
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

    /// Called when the server asks for a certificate and none is configured. Gives none.
    static var clientCertificate: OpenSSLLibrary.ClientCertificateCallback {
        { ssl, _, _ in
            unsafe OpenSSLCallbacks.session(ssl)?.lacksCertificate = true
            return 0
        }
    }

    /// Returns 1 if it keeps the reference to the ticket.
    static var newTicket: OpenSSLLibrary.NewTicketCallback {
        { ssl, ticket in
            guard let ticket = unsafe ticket, let session = unsafe OpenSSLCallbacks.session(ssl),
                let identity = session.identity
            else { return 0 }
            let library = session.context.library
            unsafe session.context.tickets.store(
                OpenSSLTicket(adopting: ticket, library), for: identity)
            return 1
        }
    }

    /// Selects the first of our protocols that the client offers (RFC 7301 §3.2).
    static var selectProtocol: OpenSSLLibrary.SelectProtocolCallback {
        { ssl, selected, selectedCount, offered, offeredCount, _ in
            let none = OpenSSL.SSL_TLSEXT_ERR_NOACK
            guard let session = unsafe OpenSSLCallbacks.session(ssl), let offered = unsafe offered
            else {
                return none
            }
            let ours = session.context.configuration.applicationProtocols
            if ours.isEmpty { return none }
            let list = unsafe UnsafeBufferPointer(start: offered, count: Int(offeredCount))
            for name in ours.map({ Array($0.utf8) }) {
                var start = 0
                // OpenSSL has checked the lengths; a wrong one would end the search.
                while start < list.count {
                    let end = unsafe start + 1 + Int(list[start])
                    guard end <= list.count else { break }
                    if unsafe list[start + 1..<end].elementsEqual(name) {
                        // The selected name is a part of the offer, which outlives this call.
                        unsafe selected?.pointee = unsafe offered + start + 1
                        unsafe selectedCount?.pointee = unsafe list[start]
                        return OpenSSL.SSL_TLSEXT_ERR_OK
                    }
                    start = end
                }
            }
            return OpenSSL.SSL_TLSEXT_ERR_ALERT_FATAL
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
