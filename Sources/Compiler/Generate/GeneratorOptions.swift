/// The declarations that a ``SwiftGenerator`` writes, and the names of files and methods.
public struct GeneratorOptions: Hashable, Sendable {
    /// Who can use the generated declarations.
    @nonexhaustive
    public enum Visibility: String, Hashable, Sendable, CaseIterable {
        case `internal`
        case `package`
        case `public`
    }

    /// How the path of a `.proto` file determines the path of the generated file.
    @nonexhaustive
    public enum FileNaming: String, Hashable, Sendable, CaseIterable {
        /// `grpc/health/v1/health.proto` becomes `grpc/health/v1/health.swift`.
        case fullPath = "full-path"
        /// `grpc/health/v1/health.proto` becomes `health.swift`.
        case dropPath = "drop-path"
        /// `grpc/health/v1/health.proto` becomes `grpc_health_v1_health.swift`.
        case pathToUnderscores = "path-to-underscores"
    }

    /// The access level of the declarations. Default: internal.
    public var visibility = Visibility.internal

    /// Whose messages the methods of services have.
    @nonexhaustive
    public enum Messages: String, Hashable, Sendable, CaseIterable {
        /// Messages of this library.
        case swiftlet
        /// Those that SwiftProtobuf's generator makes from the same files. The source imports SwiftProtobuf, and has
        /// no messages.
        case swiftProtobuf = "swift-protobuf"
    }

    /// Whose messages the methods of services have. Default: those of this library.
    public var messages = Messages.swiftlet

    /// Whether the source has services alone, because its messages and enums are elsewhere. Default: false.
    public var writesServicesOnly = false

    /// Whether each service gets a client, and a protocol of the client. Default: true.
    public var writesClients = true

    /// The forms of calls that a client can have besides `async`. The source imports SwiftletStyles for each of them.
    @nonexhaustive
    public enum Face: String, Hashable, Sendable, CaseIterable {
        /// `startSayHello`, with a completion handler or handlers of the responses.
        case handlers
        /// `blockingSayHello`, which blocks its thread.
        case blocking
        /// `sayHelloCall`, whose result has a future for each part of the response.
        case futures
    }

    /// The functions that a client has for each method besides the `async` one. Default: none.
    public var faces: Set<Face> = []

    /// Whether each service gets a typed fake, in a file that imports SwiftletLoopback.
    /// Default: false.
    public var writesFakes = false

    /// Whether each service gets a protocol for a loopback server, in a file that imports
    /// SwiftletLoopback. Default: false.
    public var writesServices = false

    /// How files are named. Two files of one Swift module must not have the same last component.
    /// Default: the full path.
    public var fileNaming = FileNaming.fullPath

    /// The extension of the generated files, without its first dot. Default: `swift`.
    public var fileExtension = "swift"

    /// Whether functions have the names of the methods in the `.proto` file, `SayHello` instead of
    /// `sayHello`. Default: false.
    public var keepsMethodCasing = false

    /// The Swift modules that have the types of other `.proto` files, by the name of the `.proto` file. The generated
    /// source imports these modules, and nothing is generated for these files but services with messages of SwiftProtobuf.
    /// Default: none.
    public var modules: [String: String] = [:]

    /// Whether every file that can be generated for a `.proto` file is written, even if it has no declarations. The
    /// file with namespaces is then always written. A build system then knows all files in advance. Default: false.
    public var writesEmptyFiles = false

    /// Makes options with their defaults.
    public init() {}
}
