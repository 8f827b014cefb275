/// The fields that the options of a file have set, as a tree of field numbers.
///
/// The name of an option sets a field and all messages around it. The tree stores each field once. A set of
/// paths would store every prefix of every path, whose size grows with the square of the length.
struct OptionTree {
    private struct Branch: Hashable {
        let parent: Int
        let number: Int32
    }

    /// A field in the tree. Nodes are valid only in the tree that returned them.
    struct Node {
        fileprivate let index: Int
        /// The message that contains the fields at the top of the tree.
        static let root = Node(index: 0)
    }

    /// The branch to each node, in the order in which the nodes were added. The root has none, so the branch to
    /// node `n` is at `n - 1`.
    private var branches: [Branch] = []
    private var indices: [Branch: Int] = [:]

    /// How many fields the tree has.
    var count: Int { branches.count }

    /// Adds the field `number` of the message `parent`, unless the tree has it.
    mutating func insert(_ number: Int32, in parent: Node) -> Node {
        let branch = Branch(parent: parent.index, number: number)
        if let known = indices[branch] { return Node(index: known) }
        branches.append(branch)
        indices[branch] = branches.count
        return Node(index: branches.count)
    }

    /// Adds the field at the path, and all messages around it.
    @discardableResult
    mutating func insert(_ path: ProtoPath) -> Node {
        var node = Node.root
        for number in path { node = insert(number, in: node) }
        return node
    }

    /// Adds the fields of another tree, whose root is the message at `path`.
    mutating func insert(_ tree: OptionTree, at path: ProtoPath) {
        guard tree.count > 0 else { return }
        var nodes = [insert(path)]
        // A node is added after its parent.
        for branch in tree.branches {
            nodes.append(insert(branch.number, in: nodes[branch.parent]))
        }
    }

    /// Whether the field at the path was set, or a field inside it.
    func contains(_ path: ProtoPath) -> Bool {
        var index = 0
        for number in path {
            guard let next = indices[Branch(parent: index, number: number)] else { return false }
            index = next
        }
        return true
    }
}
