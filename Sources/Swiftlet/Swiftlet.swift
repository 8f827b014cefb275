@_exported public import SwiftletCore
@_exported public import SwiftletMessages
