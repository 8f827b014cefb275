@_exported public import SwiftletSchema
@_exported public import SwiftletServiceMessages
