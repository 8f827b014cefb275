import SwiftletTransport

/// A request of the caller that is kept, and made later.
package enum CallRequest {
    case write(EncodedMessage, allowsCompression: Bool, andFinish: Bool)
    case finish
    case receiveNext

    package func make(of call: any CallRequests) {
        switch self {
        case .write(let message, let allowsCompression, let andFinish):
            call.write(message, andFinish: andFinish, allowsCompression: allowsCompression)
        case .finish: call.finish()
        case .receiveNext: call.receiveNext()
        }
    }
}
