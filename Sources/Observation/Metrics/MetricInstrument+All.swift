/// The keys of the labels of the library's metrics.
extension MetricLabel {
    static let method = "grpc.method"
    static let target = "grpc.target"
    static let status = "grpc.status"
    static let locality = "grpc.lb.locality"
    static let backendService = "grpc.lb.backend_service"
    static let detectionMethod = "grpc.lb.outlier_detection.detection_method"
    static let unenforcedReason = "grpc.lb.outlier_detection.unenforced_reason"
    static let disconnectError = "grpc.disconnect_error"
    static let securityLevel = "grpc.security_level"
    static let controlPlane = "grpc.xds.server"
    static let authority = "grpc.xds.authority"
    static let cacheState = "grpc.xds.cache_state"
    static let resourceType = "grpc.xds.resource_type"
}

extension MetricInstrument {
    /// Every instrument of the library.
    public static let all: [MetricInstrument] = [
        .attemptStarted,
        .attemptDuration,
        .attemptSentSize,
        .attemptReceivedSize,
        .callDuration,
        .callRetries,
        .callTransparentRetries,
        .callHedges,
        .callRetryDelay,
        .roundRobinFallback,
        .weightNotYetUsable,
        .weightStale,
        .endpointWeights,
        .pickFirstDisconnections,
        .pickFirstAttemptsSucceeded,
        .pickFirstAttemptsFailed,
        .disconnections,
        .attemptsSucceeded,
        .attemptsFailed,
        .openConnections,
        .controlPlaneConnected,
        .controlPlaneFailures,
        .validResourceUpdates,
        .invalidResourceUpdates,
        .resources,
        .ejectionsEnforced,
        .ejectionsUnenforced,
    ]
}

// MARK: - Calls and attempts (proposals A66, A96 and A108)

extension MetricInstrument {
    /// `grpc.client.attempt.started`
    public static let attemptStarted = MetricInstrument(
        name: "grpc.client.attempt.started",
        summary: "Attempts started, including those that have not ended.",
        unit: "{attempt}", kind: .counter,
        labelKeys: [MetricLabel.method, MetricLabel.target],
        optionalLabelKeys: [MetricLabel.custom],
        isOnByDefault: true, index: 0)

    /// `grpc.client.attempt.duration`
    public static let attemptDuration = MetricInstrument(
        name: "grpc.client.attempt.duration",
        summary:
            "Time from the start to the end of an attempt, including the choice of a connection.",
        unit: "s", kind: .histogram(bounds: latencyBounds),
        labelKeys: [MetricLabel.method, MetricLabel.target, MetricLabel.status],
        optionalLabelKeys: [
            MetricLabel.locality, MetricLabel.backendService, MetricLabel.custom,
        ],
        isOnByDefault: true, index: 1)

    /// `grpc.client.attempt.sent_total_compressed_message_size`
    public static let attemptSentSize = MetricInstrument(
        name: "grpc.client.attempt.sent_total_compressed_message_size",
        summary: "Bytes of all request messages of an attempt, compressed and without prefixes.",
        unit: "By", kind: .histogram(bounds: sizeBounds),
        labelKeys: [MetricLabel.method, MetricLabel.target, MetricLabel.status],
        optionalLabelKeys: [
            MetricLabel.locality, MetricLabel.backendService, MetricLabel.custom,
        ],
        isOnByDefault: true, index: 2)

    /// `grpc.client.attempt.rcvd_total_compressed_message_size`
    public static let attemptReceivedSize = MetricInstrument(
        name: "grpc.client.attempt.rcvd_total_compressed_message_size",
        summary: "Bytes of all response messages of an attempt, compressed and without prefixes.",
        unit: "By", kind: .histogram(bounds: sizeBounds),
        labelKeys: [MetricLabel.method, MetricLabel.target, MetricLabel.status],
        optionalLabelKeys: [
            MetricLabel.locality, MetricLabel.backendService, MetricLabel.custom,
        ],
        isOnByDefault: true, index: 3)

    /// `grpc.client.call.duration`
    public static let callDuration = MetricInstrument(
        name: "grpc.client.call.duration",
        summary: "Time from the creation of a call to the delivery of its status.",
        unit: "s", kind: .histogram(bounds: latencyBounds),
        labelKeys: [MetricLabel.method, MetricLabel.target, MetricLabel.status],
        optionalLabelKeys: [MetricLabel.custom],
        isOnByDefault: true, index: 4)

    /// `grpc.client.call.retries`
    public static let callRetries = MetricInstrument(
        name: "grpc.client.call.retries",
        summary: "Retries of a call that had any.",
        unit: "{retry}", kind: .histogram(bounds: [1, 2, 3, 4, 5]),
        labelKeys: [MetricLabel.method, MetricLabel.target],
        optionalLabelKeys: [MetricLabel.custom],
        isOnByDefault: false, index: 5)

    /// `grpc.client.call.transparent_retries`
    public static let callTransparentRetries = MetricInstrument(
        name: "grpc.client.call.transparent_retries",
        summary: "Transparent retries of a call that had any.",
        unit: "{transparent_retry}", kind: .histogram(bounds: [1, 2, 3, 4, 5, 10]),
        labelKeys: [MetricLabel.method, MetricLabel.target],
        optionalLabelKeys: [MetricLabel.custom],
        isOnByDefault: false, index: 6)

    /// `grpc.client.call.hedges`
    public static let callHedges = MetricInstrument(
        name: "grpc.client.call.hedges",
        summary: "Hedges of a call that had any.",
        unit: "{hedge}", kind: .histogram(bounds: [1, 2, 3, 4, 5]),
        labelKeys: [MetricLabel.method, MetricLabel.target],
        optionalLabelKeys: [MetricLabel.custom],
        isOnByDefault: false, index: 7)

    /// `grpc.client.call.retry_delay`
    public static let callRetryDelay = MetricInstrument(
        name: "grpc.client.call.retry_delay",
        summary: "Time without an open attempt between the attempts of a call that had several.",
        unit: "s", kind: .histogram(bounds: latencyBounds),
        labelKeys: [MetricLabel.method, MetricLabel.target],
        optionalLabelKeys: [MetricLabel.custom],
        isOnByDefault: false, index: 8)
}

// MARK: - Balancing (proposals A78 and A89)

extension MetricInstrument {
    /// `grpc.lb.wrr.rr_fallback`
    public static let roundRobinFallback = MetricInstrument(
        name: "grpc.lb.wrr.rr_fallback",
        summary:
            "Updates after which too few weights were valid, so that the endpoints are used in turn.",
        unit: "{update}", kind: .counter,
        labelKeys: [MetricLabel.target],
        optionalLabelKeys: [MetricLabel.locality, MetricLabel.backendService],
        isOnByDefault: false, index: 9)

    /// `grpc.lb.wrr.endpoint_weight_not_yet_usable`
    public static let weightNotYetUsable = MetricInstrument(
        name: "grpc.lb.wrr.endpoint_weight_not_yet_usable",
        summary: "Endpoints that had no report, or were within the blackout period, at an update.",
        unit: "{endpoint}", kind: .counter,
        labelKeys: [MetricLabel.target],
        optionalLabelKeys: [MetricLabel.locality, MetricLabel.backendService],
        isOnByDefault: false, index: 10)

    /// `grpc.lb.wrr.endpoint_weight_stale`
    public static let weightStale = MetricInstrument(
        name: "grpc.lb.wrr.endpoint_weight_stale",
        summary: "Endpoints whose last weight had expired at an update.",
        unit: "{endpoint}", kind: .counter,
        labelKeys: [MetricLabel.target],
        optionalLabelKeys: [MetricLabel.locality, MetricLabel.backendService],
        isOnByDefault: false, index: 11)

    /// `grpc.lb.wrr.endpoint_weights`
    public static let endpointWeights = MetricInstrument(
        name: "grpc.lb.wrr.endpoint_weights",
        summary: "The weight of each endpoint at an update; 0 if the weight is not usable.",
        unit: "{weight}", kind: .histogram(bounds: countBounds),
        labelKeys: [MetricLabel.target],
        optionalLabelKeys: [MetricLabel.locality, MetricLabel.backendService],
        isOnByDefault: false, index: 12)

    /// `grpc.lb.pick_first.disconnections`
    public static let pickFirstDisconnections = MetricInstrument(
        name: "grpc.lb.pick_first.disconnections",
        summary:
            "Connections that subchannels stopped using for new calls. The former name of grpc.subchannel.disconnections.",
        unit: "{disconnection}", kind: .counter,
        labelKeys: [MetricLabel.target],
        optionalLabelKeys: [],
        isOnByDefault: false, index: 13)

    /// `grpc.lb.pick_first.connection_attempts_succeeded`
    public static let pickFirstAttemptsSucceeded = MetricInstrument(
        name: "grpc.lb.pick_first.connection_attempts_succeeded",
        summary:
            "Successful attempts to connect. The former name of grpc.subchannel.connection_attempts_succeeded.",
        unit: "{attempt}", kind: .counter,
        labelKeys: [MetricLabel.target],
        optionalLabelKeys: [],
        isOnByDefault: false, index: 14)

    /// `grpc.lb.pick_first.connection_attempts_failed`
    public static let pickFirstAttemptsFailed = MetricInstrument(
        name: "grpc.lb.pick_first.connection_attempts_failed",
        summary:
            "Failed attempts to connect. The former name of grpc.subchannel.connection_attempts_failed.",
        unit: "{attempt}", kind: .counter,
        labelKeys: [MetricLabel.target],
        optionalLabelKeys: [],
        isOnByDefault: false, index: 15)
}

// MARK: - Subchannels (proposal A94)

extension MetricInstrument {
    /// `grpc.subchannel.disconnections`
    public static let disconnections = MetricInstrument(
        name: "grpc.subchannel.disconnections",
        summary: "Connections that subchannels stopped using for new calls.",
        unit: "{disconnection}", kind: .counter,
        labelKeys: [MetricLabel.target],
        optionalLabelKeys: [
            MetricLabel.backendService, MetricLabel.locality, MetricLabel.disconnectError,
        ],
        isOnByDefault: false, index: 16)

    /// `grpc.subchannel.connection_attempts_succeeded`
    public static let attemptsSucceeded = MetricInstrument(
        name: "grpc.subchannel.connection_attempts_succeeded",
        summary: "Successful attempts to connect.",
        unit: "{attempt}", kind: .counter,
        labelKeys: [MetricLabel.target],
        optionalLabelKeys: [MetricLabel.backendService, MetricLabel.locality],
        isOnByDefault: false, index: 17)

    /// `grpc.subchannel.connection_attempts_failed`
    public static let attemptsFailed = MetricInstrument(
        name: "grpc.subchannel.connection_attempts_failed",
        summary: "Failed attempts to connect.",
        unit: "{attempt}", kind: .counter,
        labelKeys: [MetricLabel.target],
        optionalLabelKeys: [MetricLabel.backendService, MetricLabel.locality],
        isOnByDefault: false, index: 18)

    /// `grpc.subchannel.open_connections`
    public static let openConnections = MetricInstrument(
        name: "grpc.subchannel.open_connections",
        summary: "Open connections.",
        unit: "{connection}", kind: .upDownCounter,
        labelKeys: [MetricLabel.target],
        optionalLabelKeys: [
            MetricLabel.securityLevel, MetricLabel.backendService, MetricLabel.locality,
        ],
        isOnByDefault: false, index: 19)
}

// MARK: - The client of the control plane (proposal A78)

extension MetricInstrument {
    /// `grpc.xds_client.connected`
    public static let controlPlaneConnected = MetricInstrument(
        name: "grpc.xds_client.connected",
        summary:
            "Whether there is a working stream to the control plane: from its beginning until it fails.",
        unit: "{bool}", kind: .upDownCounter,
        labelKeys: [MetricLabel.target, MetricLabel.controlPlane],
        optionalLabelKeys: [],
        isOnByDefault: false, index: 20)

    /// `grpc.xds_client.server_failure`
    public static let controlPlaneFailures = MetricInstrument(
        name: "grpc.xds_client.server_failure",
        summary:
            "How often a control plane could not be reached any more, or ended a stream without a response.",
        unit: "{failure}", kind: .counter,
        labelKeys: [MetricLabel.target, MetricLabel.controlPlane],
        optionalLabelKeys: [],
        isOnByDefault: false, index: 21)

    /// `grpc.xds_client.resource_updates_valid`
    public static let validResourceUpdates = MetricInstrument(
        name: "grpc.xds_client.resource_updates_valid",
        summary: "Resources received that were valid, also if they had not changed.",
        unit: "{resource}", kind: .counter,
        labelKeys: [MetricLabel.target, MetricLabel.controlPlane, MetricLabel.resourceType],
        optionalLabelKeys: [],
        isOnByDefault: false, index: 22)

    /// `grpc.xds_client.resource_updates_invalid`
    public static let invalidResourceUpdates = MetricInstrument(
        name: "grpc.xds_client.resource_updates_invalid",
        summary: "Resources received that were not valid.",
        unit: "{resource}", kind: .counter,
        labelKeys: [MetricLabel.target, MetricLabel.controlPlane, MetricLabel.resourceType],
        optionalLabelKeys: [],
        isOnByDefault: false, index: 23)

    /// `grpc.xds_client.resources`
    public static let resources = MetricInstrument(
        name: "grpc.xds_client.resources",
        summary: "Resources that the target needs, by their state.",
        unit: "{resource}", kind: .upDownCounter,
        labelKeys: [
            MetricLabel.target, MetricLabel.authority, MetricLabel.cacheState,
            MetricLabel.resourceType,
        ],
        optionalLabelKeys: [],
        isOnByDefault: false, index: 24)
}

// MARK: - outlier_detection (proposal A91)

extension MetricInstrument {
    /// `grpc.lb.outlier_detection.ejections_enforced`
    public static let ejectionsEnforced = MetricInstrument(
        name: "grpc.lb.outlier_detection.ejections_enforced",
        summary: "Endpoints that were ejected, by the method that found them.",
        unit: "{ejection}", kind: .counter,
        labelKeys: [MetricLabel.target, MetricLabel.detectionMethod],
        optionalLabelKeys: [MetricLabel.backendService],
        isOnByDefault: false, index: 25)

    /// `grpc.lb.outlier_detection.ejections_unenforced`
    public static let ejectionsUnenforced = MetricInstrument(
        name: "grpc.lb.outlier_detection.ejections_unenforced",
        summary:
            "Endpoints that were found and not ejected, because of the enforcement percentage or the limit of ejections.",
        unit: "{ejection}", kind: .counter,
        labelKeys: [
            MetricLabel.target, MetricLabel.detectionMethod, MetricLabel.unenforcedReason,
        ],
        optionalLabelKeys: [MetricLabel.backendService],
        isOnByDefault: false, index: 26)
}
