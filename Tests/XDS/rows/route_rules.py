"""Rules for routes: what is refused, skipped and accepted."""
from resources import *
from steps import *

BUFFER = "envoy.extensions.filters.http.buffer.v3.Buffer"
RBAC = "envoy.extensions.filters.http.rbac.v3.RBACPerRoute"


def skipped(name, *first, **options):
    """Routes before the last one that are not used."""
    row(name, give(web()), call("A"), give(lookup("b")),
        accepts(routes(*first, route(prefix="/s/N", to="b"), route(to="a"))),
        until("B", "/s/N"), call("A"), **options)


def retry(on="unavailable", **fields):
    return routes(route(action={"retry_policy": {"retry_on": on, **fields}}.items()))


def act(**fields):
    return routes(route(action=fields.items()))


bad("a virtual host without domains", routes(host(route(), domains=[])), text="domains")
bad("domains with a star in the wrong place", *(
    routes(host(route(), domains=[domain])) for domain in ("a*b", "")), text="domains")
split("domains with two stars", "C++ does not check the other letters",
      *(routes(host(route(), domains=[domain])) for domain in ("*a*", "**", "a**")), text="domains")
row("a domain in two virtual hosts: the first counts",
    give(web(host(route(), domains=["svc"]), host(route(to="b"), domains=["svc"]))), call("A"))
bad("a route without a match", routes({"route": {"cluster": "a"}}), text="match")
bad("a match without a path", routes(route(prefix=None)), text="match")
bad("a match of another kind", routes(route(prefix=None, connect_matcher={})),
    routes(route(prefix=None, path_separated_prefix="/s")), text="match")
bad("a regular expression that is wrong", *(
    routes(route(prefix=None, safe_regex={"regex": regex})) for regex in ("(", "a{2,1}", "[z-a]", r"(?=a)", r"\1")),
    text="regex")
bad("a regular expression that is too large", *(
    routes(route(prefix=None, safe_regex={"regex": regex})) for regex in ("a{1001}", "((a{100}){100}){100}")), text="regex")
split("a regular expression with 2,000 groups, one in the other", "this client bounds the depth of expressions",
      routes(route(prefix=None, safe_regex={"regex": "(" * 2000 + ")" * 2000})), text="regex")
skipped("routes with query parameters", route(query_parameters=[{"name": "x"}]))
skipped("prefixes and paths that no call can have",
        route(prefix="s"), route(prefix="//"), route(prefix=None, path=""),
        route(prefix=None, path="/s/"), route(prefix=None, path="/s/M/x"), route(prefix="/a/b/c"))
bad("a header matcher with a regular expression that is wrong",
    routes(route(headers=[header("x", safe_regex_match={"regex": "("})])), text="regex")
bad("a range whose end is before its start",
    routes(route(headers=[header("x", range_match={"start": "5", "end": "3"})])), text="range")
bad("a header matcher without a condition", routes(route(headers=[header("x")])), text="header")
split("a header matcher without a name", "C++ does not check the name",
      routes(route(headers=[header("", exact_match="1")])), text="name")
bad("a fraction with an unknown denominator", routes(route(runtime_fraction={
    "default_value": {"numerator": 1, "denominator": 9}})), text="denominator")
bad("weights with a sum of 0", routes(route(to={"a": 0, "b": 0})), text="weighted_clusters")
bad("weights with a sum above 2³²−1", routes(route(to={"a": 4_294_967_295, "b": 1})), text="weighted_clusters")
bad("no clusters to choose from", routes(route(to={})), text="weighted_clusters")
bad("a weighted cluster without a name", routes(route(to={"": 1})), text="name")
bad("a cluster without a name", routes(route(to=None, action={"cluster": ""}.items())), text="cluster")
skipped("a cluster that a header names", route(to=None, action={"cluster_header": "x"}.items()))
bad("a plugin that is not listed", routes(route(to=None, action={"cluster_specifier_plugin": "rls"}.items())),
    text="cluster_specifier_plugin")
bad("a listed plugin of an unknown kind", routes(
    route(to=None, action={"cluster_specifier_plugin": "p"}.items()), route(),
    cluster_specifier_plugins=[{"extension": extension("p", BUFFER)}]), text="cluster_specifier_plugins")
row("a listed plugin of an unknown kind that is optional: its routes are skipped",
    give(web(), routes(
        route(to=None, action={"cluster_specifier_plugin": "p"}.items()), route(),
        cluster_specifier_plugins=[{"extension": extension("p", BUFFER), "is_optional": True}])),
    call("A"))
bad("retries: num_retries 0", retry(num_retries=0), text="num_retries")
bad("retries: no base interval", retry(retry_back_off={"max_interval": "1s"}), text="base_interval")
split("retries: base interval 0", "A44 says that it must be above 0; C++ does not check",
      retry(retry_back_off={"base_interval": "0s"}), text="base_interval")
split("retries: the longest interval is below the base", "A44 says that it must not be; C++ does not check",
    retry(retry_back_off={"base_interval": "1s", "max_interval": "0.5s"}), text="max_interval")
bad("retries of the virtual host are checked too", routes(host(route(), retry_policy={
    "retry_on": "unavailable", "num_retries": 0})), text="num_retries")
bad("hash policies: a header without a name", act(hash_policy=[{"header": {"header_name": ""}}]), text="header_name")
bad("hash policies: a rewrite with a wrong expression", act(hash_policy=[{"header": {
    "header_name": "x", "regex_rewrite": {"pattern": {"regex": "("}, "substitution": "y"}}}]), text="regex")
bad("hash policies: a rewrite without expression", act(hash_policy=[{"header": {
    "header_name": "x", "regex_rewrite": {"substitution": "y"}}}]), text="pattern")
bad("an unknown filter's settings", routes(host(route(), typed_per_filter_config={"b": typed(BUFFER)})),
    text="typed_per_filter_config")
bad("an unknown filter's settings of a route", routes(route(typed_per_filter_config={"b": typed(BUFFER)})),
    text="typed_per_filter_config")
row("an unknown filter's settings that are optional",
    give(web(), routes(host(route(), typed_per_filter_config={"b": typed(
        "envoy.config.route.v3.FilterConfig", config=typed(BUFFER), is_optional=True)}))),
    call("A"))
bad("a FilterConfig without settings", routes(host(route(), typed_per_filter_config={"b": typed(
    "envoy.config.route.v3.FilterConfig")})), text="typed_per_filter_config")
good("settings of a filter of servers", *(
    routes(host(route(), typed_per_filter_config={"rbac": settings})) for settings in (
        typed(RBAC), typed("envoy.config.route.v3.FilterConfig", config=typed(RBAC)))))
row("one call names all violations of a resource",
    give(web()), call("A"),
    give(routes(host(route(), domains=["a*b"]), host(route(prefix=None), domains=["x"]))),
    refused("RDS", "routes", "domains", "match"))
row("a redirect and a route without an action: UNAVAILABLE",
    give(web(), routes(route("/r", to=None, redirect={"host_redirect": "x"}),
                       route("/n", to=None, non_forwarding_action={}), route())),
    call(14, "/r/M"), call(14, "/n/M"), call("A"))
