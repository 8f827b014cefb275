/// Configuration from a control plane by xDS, the API of Envoy.
public enum XDS {}
