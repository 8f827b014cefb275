import SwiftletCore

extension ServiceClient {
    /// Starts a call, or fails it if its method does not fit a function for `shape`.
    func start(_ call: any CallRequests, _ method: MethodSignature, as shape: CallShape) {
        if let error = method.shapeError(shape) { return call.fail(error) }
        call.start()
    }
}
