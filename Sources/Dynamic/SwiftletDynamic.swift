@_exported public import SwiftletCompiler
@_exported public import SwiftletServiceMessages
