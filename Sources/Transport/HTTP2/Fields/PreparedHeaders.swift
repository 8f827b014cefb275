/// The fields that are the same in each request of one method: `:method`, `:path`, `content-type`
/// and others.
///
/// An encoder recognizes the object, not its contents. After one or two requests, all fields are in
/// the encoder's table. Then the encoder only copies a few bytes for them.
package final class PreparedHeaders: Sendable {
    package let list: HeaderList

    package init(_ list: HeaderList) {
        self.list = list
    }
}
