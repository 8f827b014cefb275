import SwiftletCore
import SwiftletTransport
import Synchronization

/// The certificates of a `file_watcher`. All clusters of the process with equal files share them.
///
/// The files are read when a connection needs them and the interval has passed: an open connection keeps the
/// certificates that it has, so nothing has to watch the files meanwhile.
final class CertificateFiles: Sendable {
    /// The texts of the files; nil for one that the provider does not have.
    struct Contents: Hashable, Sendable {
        fileprivate(set) var authorities: String?
        fileprivate(set) var certificates: String?
        fileprivate(set) var privateKey: String?
    }

    private static let table = WeakTable<XDS.Bootstrap.TLSFiles, CertificateFiles>()

    private let files: XDS.Bootstrap.TLSFiles
    /// What was read last, and until when it is used.
    private let last = Mutex<(contents: Contents, end: MonotonicInstant)?>(nil)

    private init(_ files: XDS.Bootstrap.TLSFiles) { self.files = files }

    static func shared(_ files: XDS.Bootstrap.TLSFiles) -> CertificateFiles {
        table.object(for: files) { CertificateFiles(files) }
    }

    /// The texts as they were read last, or are read now. Throws if a file cannot be read and never could.
    func contents(at now: MonotonicInstant) throws(TLSError) -> Contents {
        let last = last.withLock { $0 }
        if let last, now < last.end { return last.contents }
        do throws(RPCError) {
            let contents = try read()
            self.last.withLock { $0 = (contents, now + files.refreshInterval) }
            return contents
        } catch {
            // A file may be missing for a moment while it is replaced.
            guard let last else { throw TLSError(.configuration, error.message) }
            return last.contents
        }
    }

    /// The texts cannot be used: a file may have been read while it was written. The next connection reads them again.
    func contentsWereRefused() { last.withLock { $0?.end = MonotonicInstant(nanoseconds: .min) } }

    private func read() throws(RPCError) -> Contents {
        var contents = Contents()
        if let path = files.authorityFile { contents.authorities = try TextFile.contents(of: path) }
        if let identity = files.identity {
            contents.certificates = try TextFile.contents(of: identity.certificateFile)
            contents.privateKey = try TextFile.contents(of: identity.keyFile)
        }
        return contents
    }
}
