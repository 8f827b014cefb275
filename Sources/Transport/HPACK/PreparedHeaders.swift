/// The fields that begin each request of one kind: `:method`, `:path`, `content-type` and what
/// else does not change from call to call.
///
/// An encoder recognises the object, not its contents. After a request or two it has everything
/// in its table, and a block that begins with these fields costs a copy of a few octets.
package final class PreparedHeaders: Sendable {
    package let list: HeaderList

    package init(_ list: HeaderList) {
        self.list = list
    }
}
