import Swiftlet

/// The error for a server of the command line that did not start. The exit status is 1, because no
/// call failed.
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
