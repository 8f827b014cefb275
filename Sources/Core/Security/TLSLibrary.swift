import SwiftletTransport

/// The OpenSSL (1.1.1 or later) of all TLS connections of the process, apart from those of a `TLSEngine`.
///
/// The first TLS credentials find it: among the functions of the process, which the program or a library that it
/// links exports; otherwise in the file or folder that the environment variable `SWIFTLET_OPENSSL` names;
/// otherwise, if it names none, among the system's libraries. A process has one OpenSSL. It stays loaded until the
/// process ends.
///
/// Call these functions when the program starts. They throw FAILED_PRECONDITION if an OpenSSL is in use already, or
/// the one that they name cannot be used.
public enum TLSLibrary {
    /// Loads OpenSSL from a file, that of libssl, or from a folder, in which libcrypto must also be. Has no effect if
    /// the process has an OpenSSL: a second one beside it would be mixed with it.
    public static func load(from path: String) throws(RPCError) {
        do throws(TLSError) { try OpenSSLLibrary.use(path: path) } catch {
            throw RPCError(tls: error)
        }
    }

    /// Uses functions that are linked into the program and not exported, as in a program without dynamic libraries.
    ///
    /// Unsafe: the library calls an address with the arguments of OpenSSL's function of that name.
    ///
    /// - Parameter address: Returns the address of a function of OpenSSL, such as `SSL_new`; nil if the
    ///   program does not have it.
    @unsafe public static func link(
        _ address: (_ function: String) -> UnsafeRawPointer?
    ) throws(RPCError) {
        do throws(TLSError) {
            try unsafe OpenSSLLibrary.use { name in
                unsafe UnsafeMutableRawPointer(mutating: address(name))
            }
        } catch {
            throw RPCError(tls: error)
        }
    }

    /// The version and the place of the OpenSSL that the process uses, for people and logs. Finds it if this was not
    /// done yet. Throws FAILED_PRECONDITION, with what was looked for, if there is none.
    public static func name() throws(RPCError) -> String {
        do throws(TLSError) {
            return try OpenSSLLibrary.shared().name
        } catch {
            throw RPCError(tls: error)
        }
    }
}
