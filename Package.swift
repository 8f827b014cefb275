// swift-tools-version: 6.2
import PackageDescription

/// Nothing, unless SWIFTLET_WITHOUT_DEBUG_INFO is set: then checks are compiled sooner. The driver's own `-gnone` would have
/// no effect, because the `-g` of a build follows it.
let debugInfo: [SwiftSetting] =
    Context.environment["SWIFTLET_WITHOUT_DEBUG_INFO"] == nil
    ? [] : [.unsafeFlags(["-Xfrontend", "-gnone"])]

/// What every target is compiled with: language mode 6, and the checks that keep it strict.
let strict: [SwiftSetting] =
    debugInfo + [
        .strictMemorySafety(),
        .treatAllWarnings(as: .error),
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    ]

/// The same for modules that the command line does not need fast: `make static` sets SWIFTLET_SMALL, and
/// they are optimised for size. Core and Transport, which every byte of a call passes, never are.
let small: [SwiftSetting] =
    strict
    + (Context.environment["SWIFTLET_SMALL"] == nil ? [] : [.unsafeFlags(["-Osize"])])

/// The same for modules that work while a package is built. In a release build with the plug-in, all of them are compiled
/// before anything else. To optimise them takes 25 s more, and saves 0.04 s where 60 files of 8,000 lines are read. For the
/// command line, `make static` optimises them. Since SwiftPM 6.2, a package that others use may have such flags.
let tool: [SwiftSetting] =
    Context.environment["SWIFTLET_SMALL"] == nil
    ? strict + [.unsafeFlags(["-Onone"], .when(configuration: .release))] : small

let package = Package(
    name: "swiftlet",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [
        .library(name: "Swiftlet", targets: ["Swiftlet"]),
        .library(name: "SwiftletLoopback", targets: ["SwiftletLoopback"]),
        .library(name: "SwiftletBalancing", targets: ["SwiftletBalancing"]),
        .library(name: "SwiftletInterceptors", targets: ["SwiftletInterceptors"]),
        .library(name: "SwiftletSecurity", targets: ["SwiftletSecurity"]),
        .library(name: "SwiftletObservation", targets: ["SwiftletObservation"]),
        .library(name: "SwiftletStyles", targets: ["SwiftletStyles"]),
        .library(name: "SwiftletJSONRPC", targets: ["SwiftletJSONRPC"]),
        .library(name: "SwiftletXDS", targets: ["SwiftletXDS"]),
        .library(name: "SwiftletDynamic", targets: ["SwiftletDynamic"]),
        .library(name: "SwiftletServices", targets: ["SwiftletServices"]),
        .library(name: "SwiftletWellKnown", targets: ["SwiftletWellKnown"]),
        .library(name: "SwiftletFoundation", targets: ["SwiftletFoundation"]),
        .executable(name: "swiftlet", targets: ["SwiftletCLI"]),
        .executable(name: "swiftlet-bench", targets: ["SwiftletBenchmark"]),
        .plugin(name: "SwiftletBuildPlugin", targets: ["SwiftletBuildPlugin"]),
        .plugin(name: "SwiftletCommandPlugin", targets: ["SwiftletCommandPlugin"]),
    ],
    targets: [
        // Declarations of the C library that Swift's own module leaves out. No code.
        .systemLibrary(name: "CSwiftletSystem", path: "Sources/System"),

        .target(
            name: "SwiftletTransport", dependencies: ["CSwiftletSystem"],
            path: "Sources/Transport", swiftSettings: strict),
        .target(
            name: "SwiftletCore", dependencies: ["SwiftletTransport"],
            path: "Sources/Core", swiftSettings: strict),
        // HTTP/1.1 without I/O, for the leaf that calls it and the server for tests.
        .target(
            name: "SwiftletHTTP1", dependencies: ["SwiftletTransport"],
            path: "Sources/HTTP1", swiftSettings: small),
        // The tokens of JSON, and the error with its place in a text. SwiftletSchema re-exports it.
        .target(name: "SwiftletJSONText", path: "Sources/JSONText", swiftSettings: small),
        // JSON as a tree, for the leaves that read it: service configs, JSON-RPC, recordings.
        .target(
            name: "SwiftletJSON",
            dependencies: ["SwiftletCore", "SwiftletJSONText", "SwiftletTransport"],
            path: "Sources/JSON", swiftSettings: small),
        // The balancing policies but `pick_first` and `round_robin`, and service configs as text.
        .target(
            name: "SwiftletBalancing",
            dependencies: [
                "SwiftletCore", "SwiftletJSON", "SwiftletTransport", "CSwiftletSystem",
            ],
            path: "Sources/Balancing", swiftSettings: small),
        // The chain of a call, and interceptors of the program's own.
        .target(
            name: "SwiftletInterceptors", dependencies: ["SwiftletCore", "SwiftletTransport"],
            path: "Sources/Interceptors", swiftSettings: strict),
        // Connections that the program secures itself, with a library of TLS or in its own way.
        .target(
            name: "SwiftletSecurity", dependencies: ["SwiftletCore", "SwiftletTransport"],
            path: "Sources/Security", swiftSettings: small),
        // Metrics, and the interceptors that a program chooses. SwiftletInterceptors comes with it.
        .target(
            name: "SwiftletObservation",
            dependencies: ["SwiftletCore", "SwiftletInterceptors", "SwiftletTransport"],
            path: "Sources/Observation", swiftSettings: small),
        // Calls with handlers, calls that block a thread, calls as values with futures, groups of calls, and batches of
        // operations.
        .target(
            name: "SwiftletStyles", dependencies: ["SwiftletCore", "SwiftletTransport"],
            path: "Sources/Styles", swiftSettings: strict),
        .target(
            name: "SwiftletMessages", path: "Sources/Messages",
            exclude: ["Descriptors", "Services", "StandardServices", "WellKnown"],
            swiftSettings: small),
        // JSON values, field masks, wrappers and the details of errors. Most clients use none of them, so a client does
        // not build them.
        .target(
            name: "SwiftletWellKnown", dependencies: ["SwiftletMessages"],
            path: "Sources/Messages/WellKnown", swiftSettings: small),
        // The messages of descriptor.proto, which only schemas need. They are many: a client, which does not
        // build them, is compiled sooner. SwiftletSchema re-exports them.
        .target(
            name: "SwiftletDescriptors", dependencies: ["SwiftletMessages"],
            path: "Sources/Messages/Descriptors", swiftSettings: tool),
        // The messages of health and reflection. SwiftletServices re-exports them.
        .target(
            name: "SwiftletServiceMessages", dependencies: ["SwiftletMessages"],
            path: "Sources/Messages/StandardServices", swiftSettings: small),
        // The clients of health and reflection, and the messages of the services that a server for tests offers:
        // gRPC's examples and tests, channelz and load reports. A client does not build them either.
        // SwiftletLoopback re-exports them.
        .target(
            name: "SwiftletServices",
            dependencies: [
                "Swiftlet", "SwiftletCore", "SwiftletDescriptors", "SwiftletMessages",
                "SwiftletServiceMessages", "SwiftletWellKnown",
            ],
            path: "Sources/Messages/Services", swiftSettings: small),
        // From descriptors to a schema.
        .target(
            name: "SwiftletSchema",
            dependencies: ["SwiftletDescriptors", "SwiftletJSONText", "SwiftletMessages"],
            path: "Sources/Schema", swiftSettings: small),
        // From `.proto` source to descriptors, and from a schema to Swift source. It re-exports SwiftletSchema, and
        // SwiftletDynamic re-exports it.
        .target(
            name: "SwiftletCompiler", dependencies: ["SwiftletMessages", "SwiftletSchema"],
            path: "Sources/Compiler", swiftSettings: tool),
        // Messages with a schema at run time. A client with compiled messages does not build it.
        .target(
            name: "SwiftletDynamic",
            dependencies: [
                "SwiftletCompiler", "SwiftletMessages", "SwiftletSchema", "SwiftletServiceMessages",
            ],
            path: "Sources/Dynamic", swiftSettings: small),
        .target(
            name: "Swiftlet", dependencies: ["SwiftletCore", "SwiftletMessages"],
            path: "Sources/Swiftlet", swiftSettings: small),
        // Errors, dates, data, URLs and progress of Foundation.
        .target(
            name: "SwiftletFoundation",
            dependencies: [
                "SwiftletCore", "SwiftletInterceptors", "SwiftletMessages", "SwiftletTransport",
            ],
            path: "Sources/Foundation", swiftSettings: small),
        .target(
            name: "SwiftletLoopback",
            dependencies: [
                "SwiftletCore", "SwiftletTransport", "SwiftletMessages", "SwiftletDescriptors",
                "SwiftletServices", "SwiftletServiceMessages", "SwiftletHTTP1", "SwiftletJSON",
                "SwiftletSecurity", "SwiftletWellKnown",
            ],
            path: "Sources/Loopback", swiftSettings: small),
        // HTTP/1.1, plain requests and JSON-RPC. Alone with its JSON, so that programs of gRPC carry none.
        .target(
            name: "SwiftletJSONRPC",
            dependencies: [
                "SwiftletCore", "SwiftletHTTP1", "SwiftletJSON", "SwiftletStyles",
                "SwiftletTransport",
            ],
            path: "Sources/JSONRPC", swiftSettings: strict),
        // Configuration from a control plane. Nothing else depends on it.
        .target(
            name: "SwiftletXDS",
            dependencies: [
                "SwiftletBalancing", "SwiftletCore", "SwiftletJSON", "SwiftletMessages",
                "SwiftletTransport", "SwiftletWellKnown",
            ],
            path: "Sources/XDS", swiftSettings: small),
        .executableTarget(
            name: "SwiftletCLI",
            dependencies: [
                "Swiftlet", "SwiftletLoopback", "SwiftletDynamic", "SwiftletObservation",
                "SwiftletServices", "SwiftletTransport", "SwiftletXDS", "SwiftletJSON",
            ],
            path: "Sources/CLI", swiftSettings: small),
        .executableTarget(
            name: "SwiftletBenchmark",
            dependencies: [
                "Swiftlet", "SwiftletBalancing", "SwiftletInterceptors", "SwiftletJSONRPC",
                "SwiftletObservation", "SwiftletStyles", "SwiftletLoopback", "SwiftletServices",
                "SwiftletTransport",
            ],
            path: "Sources/Benchmark", swiftSettings: strict),

        // What the tests of several modules need.
        .target(
            name: "TestSupport", dependencies: ["SwiftletTransport"], path: "Tests/Support",
            swiftSettings: strict),

        // Generates source in the packages of users. It uses schemas alone, so that their builds stay short.
        .executableTarget(
            name: "swiftlet-generator", dependencies: ["SwiftletCompiler"],
            path: "Sources/Plugins/Generator", swiftSettings: tool),
        .plugin(
            name: "SwiftletBuildPlugin", capability: .buildTool(),
            dependencies: ["swiftlet-generator"], path: "Sources/Plugins/Build"),
        .plugin(
            name: "SwiftletCommandPlugin",
            capability: .command(
                intent: .custom(
                    verb: "generate-from-proto",
                    description: "Writes Swift source for the .proto files of targets"),
                permissions: [
                    .writeToPackageDirectory(reason: "The source is written into the targets.")
                ]),
            dependencies: ["swiftlet-generator"], path: "Sources/Plugins/Command"),

        .testTarget(
            name: "TransportTests",
            dependencies: ["SwiftletHTTP1", "SwiftletTransport", "TestSupport"],
            swiftSettings: strict),
        .testTarget(
            name: "MessagesTests",
            dependencies: [
                "SwiftletMessages", "SwiftletDescriptors", "SwiftletServices", "SwiftletWellKnown",
            ],
            swiftSettings: strict),
        // Answers protobuf's own conformance runner.
        .executableTarget(
            name: "swiftlet-conformance",
            dependencies: ["SwiftletMessages", "SwiftletDynamic", "SwiftletWellKnown"],
            path: "Tests/Conformance", exclude: ["run"], swiftSettings: strict),
        // Compiles .proto files for the comparison with protoc.
        .executableTarget(
            name: "swiftlet-protoc", dependencies: ["SwiftletCompiler", "SwiftletMessages"],
            path: "Tests/Protoc",
            exclude: [
                "run", "compare.py", "growth", "growth.py", "illegal.txt", "legal.txt", "words.py",
            ],
            sources: ["main.swift"], swiftSettings: strict),
        // Measures messages with a schema beside Python's.
        .executableTarget(
            name: "swiftlet-dynamic", dependencies: ["SwiftletDynamic", "SwiftletMessages"],
            path: "Tests/Formats/Program", swiftSettings: strict),
        .testTarget(
            name: "CoreTests",
            dependencies: [
                "SwiftletBalancing", "SwiftletCore", "SwiftletHTTP1", "SwiftletInterceptors",
                "SwiftletJSON", "SwiftletObservation", "SwiftletStyles", "SwiftletTransport",
                "TestSupport",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "BalancingTests",
            dependencies: [
                "SwiftletBalancing", "SwiftletCore", "SwiftletJSON", "SwiftletTransport",
                "TestSupport",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "ObservationTests", dependencies: ["SwiftletObservation", "SwiftletCore"],
            swiftSettings: strict),
        .testTarget(
            name: "LoopbackTests",
            dependencies: [
                "Swiftlet", "SwiftletBalancing", "SwiftletObservation", "SwiftletLoopback",
                "SwiftletInterceptors", "SwiftletStyles", "SwiftletCore", "SwiftletJSONRPC",
                "SwiftletTransport", "SwiftletDynamic", "SwiftletCLI", "SwiftletSecurity",
                "SwiftletXDS", "SwiftletWellKnown", "TestSupport",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "FoundationTests",
            dependencies: [
                "Swiftlet", "SwiftletFoundation", "SwiftletInterceptors", "SwiftletLoopback",
                "SwiftletStyles",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "DynamicTests",
            dependencies: [
                "SwiftletCompiler", "SwiftletDynamic", "SwiftletMessages", "SwiftletSchema",
                "SwiftletServices",
                "SwiftletWellKnown", "TestSupport",
            ],
            swiftSettings: strict),
        // Answers for a comparison of regular expressions with RE2's.
        .executableTarget(
            name: "swiftlet-regex", dependencies: ["SwiftletXDS"], path: "Tests/XDS/Program",
            swiftSettings: strict),
        // The library's client in a comparison with grpcio at the same control plane.
        .executableTarget(
            name: "swiftlet-xds", dependencies: ["Swiftlet", "SwiftletBalancing", "SwiftletXDS"],
            path: "Tests/XDS/Client", swiftSettings: strict),
        .testTarget(
            name: "XDSTests",
            dependencies: [
                "Swiftlet", "SwiftletXDS", "SwiftletBalancing", "SwiftletCLI", "SwiftletCore",
                "SwiftletDynamic", "SwiftletLoopback", "SwiftletMessages", "SwiftletObservation",
                "SwiftletTransport", "SwiftletWellKnown", "TestSupport",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "JSONRPCTests",
            dependencies: [
                "Swiftlet", "SwiftletInterceptors", "SwiftletJSONRPC", "SwiftletObservation",
                "SwiftletStyles", "SwiftletLoopback", "SwiftletTransport", "TestSupport",
            ],
            swiftSettings: strict),
        // Calls servers of JSON-RPC that others wrote.
        .executableTarget(
            name: "swiftlet-jsonrpc", dependencies: ["Swiftlet", "SwiftletJSONRPC"],
            path: "Tests/Interop/JSONRPC", swiftSettings: strict),
        // Speaks HTTP/1.1 with clients and servers that others wrote.
        .executableTarget(
            name: "swiftlet-http1",
            dependencies: ["Swiftlet", "SwiftletJSONRPC", "SwiftletLoopback"],
            path: "Tests/HTTP1/Program", swiftSettings: strict),
        // Does what grpcio's client does, for a comparison of both.
        .executableTarget(
            name: "swiftlet-balancing", dependencies: ["Swiftlet", "SwiftletBalancing"],
            path: "Tests/Balancing/Program", swiftSettings: strict),
        // Uses a cluster of etcd whose members go away.
        .executableTarget(
            name: "swiftlet-etcd", dependencies: ["Swiftlet"], path: "Tests/Etcd/Program",
            swiftSettings: strict),
        .testTarget(name: "ArchitectureTests", swiftSettings: strict),
    ]
)

// `make races` and `make locks` set SWIFTLET_RACES. Tests of code that has one thread are left out then, and
// programs that no test calls.
if Context.environment["SWIFTLET_RACES"] != nil {
    package.products.removeAll { $0.name != "swiftlet" }
    package.targets.removeAll { target in
        target.type == .plugin || target.type == .executable && target.name != "SwiftletCLI"
            || ["DynamicTests", "ArchitectureTests"].contains(target.name)
    }
    for target in package.targets {
        switch target.name {
        case "TransportTests": target.exclude = ["HTTP1", "HTTP2"]
        case "CoreTests": target.exclude = ["ServiceConfig", "Subchannel"]
        case "XDSTests":
            target.sources = [
                "Live", "LiveStatusTests.swift", "LocalityLoadTests.swift", "LoadSamples.swift",
                "ResourceSamples.swift", "WatchedLocks.swift",
            ]
        case "MessagesTests":
            target.sources = [
                "SharedMessageTests.swift", "RandomMessageTests.swift", "Everything.swift",
                "SplitMix64.swift",
            ]
        case "BalancingTests": target.sources = ["BlockingWorkTests.swift", "WatchedLocks.swift"]
        default: break
        }
    }
}
