import SwiftletDynamic
import SwiftletTransport

extension FieldSchema {
    /// The name that is typed for the field. A server may send any text as the name in JSON, also one that
    /// changes the terminal or needs escapes. The other name, which is always a word, is read as well.
    var typedName: String {
        let isPlain = jsonName.unicodeScalars.allSatisfy {
            PeerText.isHarmless($0) && $0 != "\"" && $0 != "\\"
        }
        return isPlain ? jsonName : name
    }
}
