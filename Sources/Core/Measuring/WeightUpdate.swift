/// One update of the weights of `weighted_round_robin`, for metrics (proposal A78).
package struct WeightUpdate: Equatable, Sendable {
    /// The weight of each READY endpoint; 0 if it is not usable.
    package var weights: [Double] = []
    /// Endpoints without a report, or within the blackout period.
    package var notYetUsableCount = 0
    /// Endpoints whose last weight has expired.
    package var staleCount = 0

    package init() {}
}

extension WeightUpdate {
    /// Whether too few weights are usable, so that the endpoints are used in turn (proposal A58).
    package var isFallback: Bool { weights.count { $0 > 0 } < 2 }
}
