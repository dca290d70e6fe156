"""An RTSP camera with H.264 video and Digest authentication: the server of GStreamer. It prints its port."""

import gi

gi.require_version("Gst", "1.0")
gi.require_version("GstRtsp", "1.0")
gi.require_version("GstRtspServer", "1.0")
from gi.repository import GLib, Gst, GstRtsp, GstRtspServer

VIDEO = (
    "( videotestsrc is-live=true pattern=ball ! video/x-raw,width=640,height=360,framerate=10/1"
    " ! x264enc tune=zerolatency speed-preset=ultrafast key-int-max=10 ! rtph264pay name=pay0 pt=96 )"
)

Gst.init(None)
server = GstRtspServer.RTSPServer()
server.set_address("127.0.0.1")
server.set_service("0")

auth = GstRtspServer.RTSPAuth()
auth.set_supported_methods(GstRtsp.RTSPAuthMethod.DIGEST)
viewer = GstRtspServer.RTSPToken()
viewer.set_string("media.factory.role", "viewer")
auth.add_digest("gateway", "secret", viewer)
server.set_auth(auth)

stream = GstRtspServer.RTSPMediaFactory()
stream.set_launch(VIDEO)
stream.set_shared(True)
allowed = Gst.Structure.new_from_string("viewer, media.factory.access=(boolean)true, media.factory.construct=(boolean)true")
stream.add_role_from_structure(allowed)
server.get_mount_points().add_factory("/stream", stream)

server.attach(None)
print(server.get_bound_port(), flush=True)
GLib.MainLoop().run()
