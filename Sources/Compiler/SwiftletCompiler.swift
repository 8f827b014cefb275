@_exported public import SwiftletSchema
