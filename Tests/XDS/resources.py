"""Short ways to write resources. `@A` stands for the port of the server A, `@x` for a control plane."""
import copy
import importlib

from google.protobuf import any_pb2, json_format, symbol_database
import envoy.service.discovery.v3.discovery_pb2 as discovery

URL = "type.googleapis.com/"
TYPES = {
    "LDS": "envoy.config.listener.v3.Listener",
    "RDS": "envoy.config.route.v3.RouteConfiguration",
    "CDS": "envoy.config.cluster.v3.Cluster",
    "EDS": "envoy.config.endpoint.v3.ClusterLoadAssignment",
}
NAMES = {"LDS": "name", "RDS": "name", "CDS": "name", "EDS": "cluster_name"}
for module in (
        "envoy.config.listener.v3.listener_pb2", "envoy.config.route.v3.route_pb2",
        "envoy.config.cluster.v3.cluster_pb2", "envoy.config.endpoint.v3.endpoint_pb2",
        "envoy.extensions.filters.network.http_connection_manager.v3.http_connection_manager_pb2",
        "envoy.extensions.filters.http.router.v3.router_pb2",
        "envoy.extensions.filters.http.fault.v3.fault_pb2",
        "envoy.extensions.filters.http.rbac.v3.rbac_pb2",
        "envoy.extensions.filters.http.buffer.v3.buffer_pb2",
        "envoy.extensions.filters.http.stateful_session.v3.stateful_session_pb2",
        "envoy.extensions.http.stateful_session.cookie.v3.cookie_pb2",
        "envoy.extensions.clusters.aggregate.v3.cluster_pb2",
        "envoy.extensions.transport_sockets.tls.v3.tls_pb2",
        "envoy.extensions.transport_sockets.http_11_proxy.v3.upstream_http_11_connect_pb2",
        "envoy.extensions.transport_sockets.raw_buffer.v3.raw_buffer_pb2",
        "envoy.extensions.load_balancing_policies.ring_hash.v3.ring_hash_pb2",
        "envoy.extensions.load_balancing_policies.round_robin.v3.round_robin_pb2",
        "envoy.extensions.load_balancing_policies.wrr_locality.v3.wrr_locality_pb2",
        "envoy.extensions.load_balancing_policies.pick_first.v3.pick_first_pb2",
        "envoy.extensions.load_balancing_policies.least_request.v3.least_request_pb2",
        "envoy.extensions.load_balancing_policies.maglev.v3.maglev_pb2",
        "envoy.extensions.load_balancing_policies.client_side_weighted_round_robin.v3."
        "client_side_weighted_round_robin_pb2",
        "envoy.extensions.upstreams.http.v3.http_protocol_options_pb2",
        "xds.type.v3.typed_struct_pb2", "udpa.type.v1.typed_struct_pb2",
        "google.protobuf.wrappers_pb2", "google.protobuf.struct_pb2"):
    importlib.import_module(module)


class Resource:
    """`body` is the message in JSON. `edit` changes it where JSON cannot say it."""

    def __init__(self, kind, body, wrapped=None, raw=None, type_name=None, edit=None):
        self.kind = kind
        self.body = body
        self.name = wrapped or body.get(NAMES[kind], "")
        self._wrapped = wrapped
        self._raw = raw
        self._type = type_name or TYPES[kind]
        self._edit = edit

    def but(self, *path, value=None, **fields):
        """A copy with other fields, at a path of names and indices. None removes a field."""
        body = copy.deepcopy(self.body)
        place = body
        for step in path:
            if isinstance(place, dict):
                place = place.setdefault(step, {})
            else:
                place = place[step]
        for name, value in fields.items():
            if value is None:
                place.pop(name, None)
            else:
                place[name] = value
        return Resource(self.kind, body, self._wrapped, self._raw, self._type, self._edit)

    def any(self, ports):
        if self._raw is None:
            message = symbol_database.Default().GetSymbol(self._type)()
            json_format.ParseDict(substitute(self.body, ports), message)
            if self._edit:
                self._edit(message)
            value = message.SerializeToString()
        else:
            value = self._raw
        answer = any_pb2.Any(type_url=URL + self._type, value=value)
        if self._wrapped:
            wrapper = discovery.Resource(name=self._wrapped, resource=answer)
            answer = any_pb2.Any()
            answer.Pack(wrapper)
        return answer


def substitute(value, ports):
    if isinstance(value, dict):
        return {name: substitute(each, ports) for name, each in value.items()}
    if isinstance(value, list):
        return [substitute(each, ports) for each in value]
    if isinstance(value, str) and value.startswith("@"):
        # A file in the folder of the row.
        return ports["dir"] + value[4:] if value.startswith("@dir/") else ports[value[1:]]
    return value


def typed(name, **fields):
    return {"@type": URL + name, **fields}


def extension(name, message, **fields):
    return {"name": name, "typed_config": typed(message, **fields)}


HCM = "envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager"
ROUTER = extension("router", "envoy.extensions.filters.http.router.v3.Router")
FROM_ADS = {"ads": {}}


def listener(name="svc", routes="routes", filters=(ROUTER,), **fields):
    """A listener. `routes` is a name, or a resource that is written inline."""
    if isinstance(routes, str):
        fields.setdefault("rds", {"config_source": FROM_ADS, "route_config_name": routes})
    elif routes is not None:
        fields.setdefault("route_config", routes.body)
    return Resource("LDS", {"name": name, "api_listener": {"api_listener": typed(
        HCM, http_filters=list(filters), **fields)}})


def route(prefix="", to="a", action=(), **fields):
    """A route. `to` is a cluster, weights of clusters, or None for no action; what belongs to no other
    message is a field of the match."""
    match = {"prefix": prefix} if prefix is not None else {}
    whole = {}
    for name, value in fields.items():
        (whole if name in ("typed_per_filter_config", "non_forwarding_action", "redirect") else match)[name] = value
    whole["match"] = match
    if isinstance(to, str):
        whole["route"] = {"cluster": to, **dict(action)}
    elif isinstance(to, dict):
        whole["route"] = {"weighted_clusters": {"clusters": [
            {"name": name, "weight": weight} for name, weight in to.items()]}, **dict(action)}
    elif action:
        whole["route"] = dict(action)
    return whole


def header(name, **how):
    return {"name": name, **how}


def host(*routes, domains=("*",), **fields):
    return {"name": "host", "domains": list(domains), "routes": list(routes), **fields}


def routes(*what, name="routes", **fields):
    """A route configuration of virtual hosts, or of routes in one virtual host for all domains."""
    hosts = list(what) if what and "domains" in what[0] else [host(*what)]
    return Resource("RDS", {"name": name, "virtual_hosts": hosts, **fields})


def cluster(name="a", service=None, **fields):
    body = {"name": name, "type": "EDS", "eds_cluster_config": {"eds_config": FROM_ADS}, **fields}
    if service:
        body["eds_cluster_config"]["service_name"] = service
    return Resource("CDS", body)


def aggregate(name, *clusters, **fields):
    return Resource("CDS", {"name": name, "cluster_type": extension(
        "envoy.clusters.aggregate", "envoy.extensions.clusters.aggregate.v3.ClusterConfig",
        clusters=list(clusters)), **fields})


def logical_dns(name, server, host="localhost", **fields):
    return Resource("CDS", {"name": name, "type": "LOGICAL_DNS", "load_assignment": {"endpoints": [
        {"lb_endpoints": [{"endpoint": {"address": {"socket_address": {
            "address": host, "port_value": "@" + server}}}}]}]}, **fields})


def endpoint(server, address="127.0.0.1", weight=None, health=None, **fields):
    body = {"endpoint": {"address": {"socket_address": {
        "address": address, "port_value": "@" + server}}}}
    for name in ("hostname", "additional_addresses"):
        if name in fields:
            body["endpoint"][name] = fields.pop(name)
    if weight is not None:
        body["load_balancing_weight"] = weight
    if health:
        body["health_status"] = health
    return {**body, **fields}


def group(*servers, weight=1, priority=0, zone="z0", **fields):
    """A locality with servers."""
    body = {"locality": {"region": "r", "zone": zone}, "lb_endpoints": [
        endpoint(server) if isinstance(server, str) else server for server in servers]}
    if weight is not None:
        body["load_balancing_weight"] = weight
    if priority:
        body["priority"] = priority
    return {**body, **fields}


def endpoints(name="a", *groups, **fields):
    """Servers of a cluster; without localities the server whose name is the cluster's in capitals."""
    if not groups:
        groups = (group(name.upper()),)
    groups = [group(*each) if isinstance(each, (tuple, list)) else
              group(each) if isinstance(each, str) else each for each in groups]
    return Resource("EDS", {"cluster_name": name, "endpoints": groups, **fields})


def drops(**percent):
    return {"drop_overloads": [
        {"category": name, "drop_percentage": {"numerator": value}} for name, value in percent.items()]}


def lookup(*names):
    """Clusters with one server each, whose name is the cluster's in capitals."""
    found = []
    for name in names:
        found += [cluster(name), endpoints(name)]
    return found


def targets(what):
    """The clusters that virtual hosts use."""
    found = []
    for each in what:
        for one in each.get("routes", [each]):
            action = one.get("route", {})
            names = [action["cluster"]] if "cluster" in action else [
                weighted["name"] for weighted in action.get("weighted_clusters", {}).get("clusters", [])]
            found += [name for name in names if name not in found]
    return found


def web(*what, filters=(ROUTER,), **fields):
    """A listener, its routes or virtual hosts, and for each of their clusters the cluster and its server."""
    what = what or (route(),)
    return [listener(filters=filters, **fields), routes(*what), *lookup(*targets(what))]


def policy(*policies):
    return {"policies": [{"typed_extension_config": each} for each in policies]}
