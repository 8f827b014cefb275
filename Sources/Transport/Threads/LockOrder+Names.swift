#if DEBUG || SWIFTLET_WATCHED_LOCKS
    extension LockOrder {
        /// The type of a lock's value, as a type that is copyable: the runtime names only those.
        enum Kind<Value: ~Copyable> {}

        /// The name of a lock: the type of its value, without modules and without the arguments of
        /// this package's own generic types.
        ///
        /// - Parameter kind: A ``Kind``.
        static func name(of kind: any Any.Type) -> String {
            let full = _typeName(kind)
            guard let start = full.firstIndex(of: "<") else { return full }
            return short(full[full.index(after: start)...].dropLast())
        }

        /// Shortens `Module.Outer<Module.Argument>.(unknown context at $55d0).State` to `Outer.State`, and
        /// `Swift.Optional<Module.State>` to `Optional<State>`.
        private static func short(_ full: Substring) -> String {
            var rest = full
            var result = ""
            var component = ""
            // The module of the name that is being read; nil at its beginning.
            var module: String?
            while let character = rest.popFirst() {
                switch character {
                case "." where module == nil:
                    module = component
                    component = ""
                case ".":
                    result += component + "."
                    component = ""
                case "(" where rest.hasPrefix("unknown context at "):
                    // The file of a private type.
                    rest = rest.drop { $0 != "." }.dropFirst()
                case "(" where rest.hasPrefix("extension in "):
                    // The module of an extension, before the full name.
                    rest = rest.drop { $0 != ":" }.dropFirst()
                case "<" where module != "Swift":
                    skipArguments(&rest)
                case "<", ">", ",", " ", "(", ")", ":":
                    result += component + String(character)
                    (component, module) = ("", nil)
                default:
                    component.append(character)
                }
            }
            return result + component
        }

        /// Removes the rest of a list of arguments, up to its closing bracket.
        private static func skipArguments(_ rest: inout Substring) {
            var depth = 1
            var previous: Character = "<"
            while depth > 0, let character = rest.popFirst() {
                if character == "<" { depth += 1 }
                // The arrow of a function's type closes nothing.
                if character == ">", previous != "-" { depth -= 1 }
                previous = character
            }
        }
    }
#endif
