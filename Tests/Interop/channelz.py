"""Reads a program's channels with the stubs of grpcio-channelz, and prints what they lead to.

Usage: channelz.py HOST:PORT TARGET, where TARGET is the target of the channel that is looked for.
"""

import sys

import grpc
from grpc_channelz.v1 import channelz_pb2, channelz_pb2_grpc


def main(address, target):
    with grpc.insecure_channel(address) as connection:
        stub = channelz_pb2_grpc.ChannelzStub(connection)
        first = 0
        while True:
            page = stub.GetTopChannels(
                channelz_pb2.GetTopChannelsRequest(start_channel_id=first, max_results=2),
                timeout=30)
            for channel in page.channel:
                first = channel.ref.channel_id + 1
                if channel.data.target == target:
                    show(stub, channel)
            if page.end:
                break
        print("servers", len(stub.GetServers(channelz_pb2.GetServersRequest()).server))


def show(stub, listed):
    channel = stub.GetChannel(
        channelz_pb2.GetChannelRequest(channel_id=listed.ref.channel_id)).channel
    state = channelz_pb2.ChannelConnectivityState.State.Name(channel.data.state.state)
    print("channel", state, "calls", channel.data.calls_started, channel.data.calls_succeeded,
          channel.data.calls_failed)
    assert channel.data.trace.num_events_logged == len(channel.data.trace.events)
    assert channel.data.trace.creation_timestamp.seconds > 1_700_000_000
    assert all(event.description for event in channel.data.trace.events)
    for reference in channel.subchannel_ref:
        subchannel = stub.GetSubchannel(channelz_pb2.GetSubchannelRequest(
            subchannel_id=reference.subchannel_id)).subchannel
        print("subchannel", reference.name, subchannel.data.calls_started)
        for socket_reference in subchannel.socket_ref:
            socket = stub.GetSocket(channelz_pb2.GetSocketRequest(
                socket_id=socket_reference.socket_id)).socket
            remote = socket.remote.tcpip_address
            print("socket", ".".join(str(byte) for byte in remote.ip_address), remote.port,
                  socket.data.streams_started)
            for option in socket.data.option:
                info = channelz_pb2.SocketOptionTcpInfo()
                assert option.additional.Unpack(info), option
                print(option.name, info.tcpi_state, "mss" if info.tcpi_snd_mss > 500 else "no mss")


main(*sys.argv[1:])
