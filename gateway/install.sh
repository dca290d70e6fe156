#!/bin/sh
# Installs the camera gateway, or a newer version of it. Settings, credentials and images stay.
set -eu
cd "$(dirname "$0")"

fail() {
  echo "$1" >&2
  exit 1
}

[ "$(id -u)" = 0 ] || fail "Run this as root: sudo sh $0"
[ -x /usr/bin/node ] || fail "Node is missing in /usr/bin. Install it: apt-get install -y nodejs"
version=$(/usr/bin/node --version)
major=${version#v}
[ "${major%%.*}" -ge 20 ] || fail "The gateway needs Node 20 or later, and /usr/bin/node is $version. Debian 13 has Node 20."

id camera-gateway >/dev/null 2>&1 ||
  useradd --system --user-group --no-create-home --home-dir /var/lib/camera-gateway --shell /usr/sbin/nologin camera-gateway
install -D -m 755 dist/gateway.mjs /opt/camera-gateway/gateway.mjs
install -D -m 755 gateway /usr/local/bin/gateway
install -D -m 644 camera-gateway.service /etc/systemd/system/camera-gateway.service
install -d -m 700 -o camera-gateway -g camera-gateway /var/lib/camera-gateway /etc/camera-gateway
# Programs that put images into folders write here: their users join the group.
install -d -m 2770 -o root -g camera-gateway /srv/camera-gateway
systemctl daemon-reload
systemctl try-restart camera-gateway
echo "The gateway is installed. Settings: /etc/camera-gateway/gateway.json"
