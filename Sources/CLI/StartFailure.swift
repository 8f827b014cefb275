import Swiftlet

/// A server of the command line's own that could not be started. No call has failed, so the exit
/// status is not that of one.
struct StartFailure: Error, CustomStringConvertible {
    var description: String

    static func instead<Made>(_ start: () throws -> Made) throws -> Made {
        do {
            return try UsageError.whenInvalid(start)
        } catch let error as RPCError {
            throw StartFailure(description: "\(error)")
        }
    }
}
