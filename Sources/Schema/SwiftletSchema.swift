@_exported public import SwiftletDescriptors
@_exported public import SwiftletJSONText
