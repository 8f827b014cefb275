@_exported public import SwiftletDescriptors
