package import SwiftletCore
import SwiftletTransport

extension XDS {
    /// Watches the configuration of a target as a channel does, but connects to none of its servers. It shares the
    /// resources with the channels of the program to the same target.
    package final class ConfigurationWatch: Sendable {
        private let resolver: MeshResolver
        private let authority: String
        private let results: AsyncStream<ResolverResult>

        /// Throws INVALID_ARGUMENT if the text is no target `xds:///NAME`, and UNAVAILABLE if the bootstrap cannot be
        /// used. ``XDS/enable(_:)`` must have been called.
        ///
        /// - Parameter authority: The authority of the channel; nil for that of the target.
        package init(_ text: String, authority: String? = nil) throws(RPCError) {
            guard text.utf8.prefix(4).map(TextMatcher.lowercased).elementsEqual("xds:".utf8) else {
                throw .refused(
                    .invalidArgument,
                    "'\(RPCError.shown(text))' has no control plane; write xds:///NAME")
            }
            let target = try Target(text)
            self.authority = authority ?? target.defaultAuthority
            resolver = try MeshResolver(
                target, authority: self.authority, ChannelArguments(),
                on: CompletionQueue.shared.loop, bootstrap: XDS.currentBootstrap())
            let (results, continuation) = AsyncStream.makeStream(
                of: ResolverResult.self, bufferingPolicy: .bufferingNewest(1))
            self.results = results
            resolver.start(ResolverResults { continuation.yield($0) })
        }

        /// Waits until the configuration is complete, or is known to be missing. Returns the message that calls fail
        /// with; nil if it is complete.
        package func settle() async throws(CancellationError) -> String? {
            Self.failure(of: try await next())
        }

        /// What a call would get, when the configuration is complete. Throws UNAVAILABLE, as a call does, if it is
        /// known to be missing, and CANCELLED if the task is cancelled.
        ///
        /// - Parameter path: The path of its method: `/package.Service/Method`.
        package func explanation(
            for path: String, _ metadata: Metadata
        ) async throws(RPCError) -> Explanation {
            let result: ResolverResult
            do throws(CancellationError) {
                result = try await next()
            } catch {
                throw RPCError(.cancelled, "the configuration was not waited for")
            }
            if let text = Self.failure(of: result) { throw .noConnection(text) }
            guard let selector = result.selector as? MeshSelector,
                let manager = try? result.serviceConfig?.get().balancing as? ClusterManager
            else {
                // Not reached: a result without a failure has both.
                throw RPCError(.internal, "xds: the configuration has another form")
            }
            return selector.explanation(for: path, metadata, authority: authority, manager.clusters)
        }

        private static func failure(of result: ResolverResult) -> String? {
            if case .failure(let error) = result.endpoints { error.message } else { nil }
        }

        private func next() async throws(CancellationError) -> ResolverResult {
            for await result in results { return result }
            throw CancellationError()
        }

        deinit { resolver.stop() }
    }
}
