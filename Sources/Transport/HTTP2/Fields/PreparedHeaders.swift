/// The fields that are the same in each request of one method: `:method`, `:path`, `content-type`
/// and others.
///
/// An encoder recognises the object, not its contents. After one or two requests all fields are in
/// its table, and a block that begins with them costs a copy of a few bytes.
package final class PreparedHeaders: Sendable {
    package let list: HeaderList

    package init(_ list: HeaderList) {
        self.list = list
    }
}
