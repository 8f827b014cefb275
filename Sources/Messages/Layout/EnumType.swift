/// What the codec must know of an enum that only the program knows: the names of its values.
package class EnumType: FieldDetail {
    package func name(of number: Int32) -> String? { abstract() }
}

/// The codec reads and writes an enum as the `Int32` that it stores.
final class EnumTypeOf<E: OpenEnum>: EnumType {
    override init() {
        super.init()
        // Safe: the bits are only compared, after their number.
        let isNumber =
            MemoryLayout<E>.size == 4 && MemoryLayout<E>.stride == 4
            && MemoryLayout<E>.alignment == 4 && MemoryLayout<E?>.size == MemoryLayout<Int32?>.size
            && !(E.self is AnyClass)
            && [0, 1, -1, 0x0102_0304].allSatisfy { (number: Int32) in
                unsafe withUnsafeBytes(of: E(rawValue: number)) {
                    unsafe $0.loadUnaligned(as: Int32.self)
                } == number
            }
        guard isNumber else {
            ProgramError.stop(
                "\(E.self) must store 'var rawValue: Int32' and nothing else, as an OpenEnum")
        }
    }

    override func name(of number: Int32) -> String? { E(rawValue: number).name }
}
