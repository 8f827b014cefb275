import Swiftlet

/// The command line is not valid.
struct UsageError: Error {
    var message: String
    /// Whether the usage of the command explains the mistake.
    var isAboutUsage = true

    /// Runs `make`, and turns an INVALID_ARGUMENT that it throws into a usage error.
    static func whenInvalid<Made>(_ make: () throws -> Made) throws -> Made {
        do {
            return try make()
        } catch let error as RPCError where error.code == .invalidArgument {
            throw UsageError(message: error.message)
        }
    }
}
