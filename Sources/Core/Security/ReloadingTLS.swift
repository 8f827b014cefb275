import SwiftletTransport
import Synchronization

/// Makes the sessions of a channel's connections from certificates and keys that can be replaced. New
/// connections use the latest ones; open connections keep theirs.
///
/// A reload builds everything new before it replaces anything. If it fails, because a file is half
/// written or a key does not match the certificate, the earlier certificates stay in use.
final class ReloadingTLS: TLSProvider {
    typealias MakeContext = @Sendable (TLSOptions) throws(TLSError) -> any TLSProvider

    private struct State: ~Copyable {
        var context: any TLSProvider
        /// Nil when a certificate or key came as text, which is not kept.
        var options: TLSOptions?
        /// The stamp of each file when it was loaded. A different stamp means that the file
        /// changed.
        var stamps: [FileStamp?]
        /// How often they were loaded.
        var loadCount = 0
        /// The failure that was reported last.
        var failure: TLSError?
        var poll: Task<Void, Never>?
    }

    /// The options without certificates, keys and pins, which a reload does not change.
    private let settings: TLSOptions
    private let makeContext: MakeContext
    private let state: Mutex<State>

    init(_ options: TLSOptions, _ makeContext: @escaping MakeContext) throws(TLSError) {
        var settings = options
        settings.takeCertificates(from: TLSOptions())
        self.settings = settings
        self.makeContext = makeContext
        let stamps = options.files.map { FileStamp(path: $0) }
        let context = try makeContext(options)
        state = Mutex(
            State(
                context: context, options: options.withoutText,
                stamps: stamps))
        pollFiles()
    }

    deinit { state.withLock { $0.poll }?.cancel() }

    func makeSession(
        host: String?, offering protocols: [String]?
    ) throws(TLSError) -> any TLSSession {
        try state.withLock { $0.context }.makeSession(host: host, offering: protocols)
    }
}

extension ReloadingTLS {
    /// Uses the certificates, keys and pins of `replacement` from now on.
    func reload(_ replacement: TLSOptions) throws(TLSError) {
        var options = settings
        options.takeCertificates(from: replacement)
        try load(options)
    }

    /// - Parameter count: Has no effect if others were loaded after so many loads.
    /// - Returns: Whether the options are in use.
    @discardableResult
    private func load(_ options: TLSOptions, after count: Int? = nil) throws(TLSError) -> Bool {
        let stamps = options.files.map { FileStamp(path: $0) }
        var context = try makeContext(options)
        // The former context is released outside the lock.
        return state.withLock { state in
            guard count == nil || count == state.loadCount else { return false }
            swap(&context, &state.context)
            state.options = options.withoutText
            state.stamps = stamps
            state.loadCount += 1
            state.failure = nil
            return true
        }
    }

    /// Reads the files again.
    func reload() throws(TLSError) {
        guard let options = state.withLock({ $0.options }) else {
            throw TLSError(
                .configuration,
                "a certificate or key was given as text, which is not kept: reload with options")
        }
        try load(options)
    }

    /// Checks the files at intervals, as long as this object is in use.
    private func pollFiles() {
        guard let options = state.withLock({ $0.options }), !options.files.isEmpty,
            let interval = options.reloadInterval
        else { return }
        let pause = Self.pause(for: interval)
        let task = Task.detached { [weak self] in
            while true {
                do {
                    try await Task.sleep(for: pause)
                } catch {
                    // Cancelled.
                    return
                }
                guard let self else { return }
                self.reloadIfChanged()
            }
        }
        state.withLock { $0.poll = task }
    }

    /// The time between two checks: the interval, at least a millisecond and at most a year. The
    /// system's clock cannot represent the end of a much longer sleep.
    static func pause(for interval: Duration) -> Duration {
        min(max(interval, .milliseconds(1)), .seconds(365 * 86_400))
    }

    private func reloadIfChanged() {
        let (options, known, count) = state.withLock { ($0.options, $0.stamps, $0.loadCount) }
        guard let options, options.files.map({ FileStamp(path: $0) }) != known else { return }
        HeldLocks.assertNone(calling: "report of a reload")
        do throws(TLSError) {
            if try load(options, after: count) { options.whenReloaded?(nil) }
        } catch {
            // A failed reload is tried again the next time. The same failure is reported once. One of files that the
            // program has replaced in the meantime is of no interest.
            let isNew = state.withLock { state in
                guard state.loadCount == count else { return false }
                defer { state.failure = error }
                return state.failure != error
            }
            if isNew { options.whenReloaded?(RPCError(tls: error)) }
        }
    }
}

extension TLSOptions {
    fileprivate mutating func takeCertificates(from other: TLSOptions) {
        rootCertificates = other.rootCertificates
        certificateChain = other.certificateChain
        privateKey = other.privateKey
        pinnedKeys = other.pinnedKeys
    }

    /// The paths of the files that are read.
    fileprivate var files: [String] {
        [rootCertificates, certificateChain, privateKey].compactMap { pem in
            if case .file(let path)? = pem { return path }
            return nil
        }
    }

    /// The options when all certificates and keys are in files, otherwise nil: the text of a key is not
    /// kept.
    fileprivate var withoutText: TLSOptions? {
        let hasText = [rootCertificates, certificateChain, privateKey].contains { pem in
            if case .text? = pem { return true }
            return false
        }
        return hasText ? nil : self
    }
}

extension RPCError {
    /// The error of certificates, keys or options that cannot be used.
    init(tls error: TLSError) {
        let isOurs = error.kind != .libraryMissing
        self.init(isOurs ? .invalidArgument : .failedPrecondition, "\(error)")
        phase = .tls
        mayHaveBeenExecuted = false
    }
}
