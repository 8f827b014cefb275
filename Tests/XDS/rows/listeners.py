"""Rules for listeners and their filters: what is refused, and what is not."""
from resources import *
from steps import *

FAULT = "envoy.extensions.filters.http.fault.v3.HTTPFault"
BUFFER = "envoy.extensions.filters.http.buffer.v3.Buffer"
RBAC = "envoy.extensions.filters.http.rbac.v3.RBAC"


def duration(seconds=0, nanos=0):
    """A listener with a maximal duration that JSON cannot write."""
    def edit(message):
        from envoy.extensions.filters.network.http_connection_manager.v3 import http_connection_manager_pb2
        manager = http_connection_manager_pb2.HttpConnectionManager()
        message.api_listener.api_listener.Unpack(manager)
        manager.common_http_protocol_options.max_stream_duration.seconds = seconds
        manager.common_http_protocol_options.max_stream_duration.nanos = nanos
        message.api_listener.api_listener.Pack(manager)
    return Resource("LDS", listener().body, edit=edit)


bad("an API listener with another message inside",
    Resource("LDS", {"name": "svc", "api_listener": {"api_listener": typed(BUFFER)}}), text="api_listener")
bad("an API listener without a message", Resource("LDS", {"name": "svc", "api_listener": {}}), text="api_listener")
row("a listener of servers is accepted, and fails the calls", give(web()), call("A"),
    give(Resource("LDS", {"name": "svc", "address": {"socket_address": {"address": "127.0.0.1", "port_value": 1}},
                          "filter_chains": [{"filters": [extension("hcm", HCM, http_filters=[ROUTER], rds={
                              "config_source": FROM_ADS, "route_config_name": "routes"})]}]})),
    accepted("LDS"), until(14), give(listener()), until("A"))
bad("a listener that is neither one of clients nor of servers", Resource("LDS", {"name": "svc"}), text="address")
row("an API listener whose message cannot be read",
    give(web()), call("A"),
    give(Resource("LDS", listener().body, edit=lambda message: setattr(
        message.api_listener.api_listener, "value", b"\xff"))),
    refused("LDS", "svc"), call("A"))
bad("neither routes nor their name", listener(routes=None), text="rds")
bad("routes from another source than ADS", listener(rds={
    "config_source": {"path": "/tmp/routes"}, "route_config_name": "routes"}), text="config_source")
split("routes without a name", "C++ asks for routes without a name, for which no answer is possible",
      listener(rds={"config_source": FROM_ADS}), text="route_config_name")
good("routes from `self`", listener(rds={"config_source": {"self": {}}, "route_config_name": "routes"}))
bad("scoped routes", listener(routes=None, scoped_routes={"name": "scopes"}), text="rds")
bad("trusted hops and detection of addresses", listener(xff_num_trusted_hops=1), text="xff_num_trusted_hops")
bad("detection of addresses", listener(original_ip_detection_extensions=[extension("x", BUFFER)]),
    text="original_ip_detection_extensions")
bad("no filters", listener(filters=[]), text="http_filters")
bad("two filters with one name", listener(filters=[extension("router", FAULT), ROUTER]), text="http_filters")
bad("a filter without a name", listener(filters=[extension("", FAULT), ROUTER]), text="http_filters")
bad("a filter without a message", listener(filters=[{"name": "fault"}, ROUTER]), text="http_filters")
bad("an unknown filter", listener(filters=[extension("buffer", BUFFER), ROUTER]), text="http_filters")
good("an unknown filter that is optional",
     listener(filters=[{**extension("buffer", BUFFER), "is_optional": True}, ROUTER]))
bad("RBAC, which is a filter of servers", listener(filters=[extension("rbac", RBAC), ROUTER]), text="http_filters")
good("RBAC that is optional", listener(filters=[{**extension("rbac", RBAC), "is_optional": True}, ROUTER]))
bad("the router is not the last filter", listener(filters=[ROUTER, extension("fault", FAULT)]), text="http_filters")
bad("two routers", listener(filters=[{**ROUTER, "name": "first"}, ROUTER]), text="http_filters")
bad("no router", listener(filters=[extension("fault", FAULT)]), text="http_filters")
bad("a router in a TypedStruct", listener(filters=[extension(
    "router", "xds.type.v3.TypedStruct", type_url=URL + "envoy.extensions.filters.http.router.v3.Router",
    value={})]), text="http_filters")
bad("durations out of range", duration(-1), duration(315_576_000_001), duration(0, 1_000_000_000),
    duration(0, -1), text="max_stream_duration")
good("the longest duration", duration(315_576_000_000, 999_999_999))
bad("inline routes that are wrong", listener(routes=routes(host(route(), domains=["a*b"]))), text="domains")
split("a fault with a percentage whose denominator is unknown", "C++ does not check it",
      listener(filters=[extension(
    "fault", FAULT, abort={"grpc_status": 5, "percentage": {"numerator": 1, "denominator": 7}}), ROUTER]),
    text="denominator")
