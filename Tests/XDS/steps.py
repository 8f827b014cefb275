"""The steps of which rows consist. Each gets the row's run, and raises an error if something is wrong."""
from call_steps import *
from plane_steps import *
from resources import web
from scripts import *


# A deletion is obeyed: this library keeps what is deleted otherwise (A88), grpcio does not.
DROPS = {"xds_servers": [{"server_uri": "@x", "channel_creds": [{"type": "insecure"}],
                          "server_features": ["fail_on_data_errors"]}]}


# Rows about rules


def bad(name, *variants, text="", **options):
    """Variants of a resource that are refused, while calls go on with what was known."""
    row(name, give(web()), call("A"), refuses(*variants, text=text), call("A"), **options)


def good(name, *variants, **options):
    """Variants of a resource that are accepted, and change nothing for a plain call."""
    row(name, give(web()), call("A"), accepts(*variants), call("A"), **options)


def split(name, why, *variants, text="", **options):
    """Variants that grpcio accepts, and this library refuses."""
    row(name, give(web()), call("A"), disputed(why, *variants, text=text), **options)
