@_exported public import SwiftletInterceptors
