import Swiftlet

/// A command line that is not valid.
struct UsageError: Error {
    var message: String
    /// Whether the usage of the command explains the mistake.
    var isAboutUsage = true

    /// Runs `make`. If it throws INVALID_ARGUMENT, throws a usage error instead.
    static func whenInvalid<Made>(_ make: () throws -> Made) throws -> Made {
        do {
            return try make()
        } catch let error as RPCError where error.code == .invalidArgument {
            throw UsageError(message: error.withOptionNames.message)
        }
    }
}
