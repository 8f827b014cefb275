/// A random number generator with the same sequence in each run.
package final class Chance {
    private var state: UInt64

    package init(_ seed: UInt64) { state = seed }

    package func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return state >> 33 | state << 31
    }
}
