import Swiftlet
import SwiftletInterceptors

/// Never starts the rest of its call.
final class HoldingInterceptor: Interceptor {
    static let factory = InterceptorFactory("holding") { _ in HoldingInterceptor() }

    func start(_ options: CallOptions, _ call: InterceptedCall) {}
    func write(_ message: RawMessage, _ call: InterceptedCall) {}
    func finish(_ call: InterceptedCall) {}
    func receiveNext(_ call: InterceptedCall) {}
}
