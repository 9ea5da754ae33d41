#!/usr/bin/env bash
# Mochi MQTT 2.7.9: with MQTT 5, a message of QoS 1 with a user property is acknowledged with reason code 0x01.
#
# A PUBACK has nine reason codes (MQTT 5, 3.4.2.1), and 0x01 is none of them: it is "Granted QoS 1" of a SUBACK. The broker
# sends it with the user property of the message, repeated. Without a user property the short form goes out, which has no
# reason. The parser of MQTT.js (mqtt-packet) refuses the code with an error.
set -euo pipefail
for program in go node; do command -v "$program" >/dev/null || { echo "needs $program"; exit 2; }; done
folder=$(mktemp -d)
broker=
trap '[ -z "$broker" ] || kill "$broker" 2>/dev/null; wait; rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund mqtt-packet@9.0.2
GOBIN="$folder" go install -p 2 github.com/mochi-mqtt/server/v2/cmd@v2.7.9 2>install.log || { cat install.log; exit 2; }
free() { node -e 'const s = require("node:net").createServer().listen(0, "127.0.0.1", () => { console.log(s.address().port); s.close(); })'; }
port=$(free)
./cmd -tcp "127.0.0.1:$port" -ws 127.0.0.1:0 -info 127.0.0.1:0 >broker.log 2>&1 &
broker=$!

cat >publish.mjs <<'JS'
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { generate, parser } from 'mqtt-packet';
const port = Number(process.argv[2]);
const opened = async () => {
  for (let tries = 100; ; tries -= 1) {
    const socket = connect(port, '127.0.0.1');
    const came = await Promise.race([once(socket, 'connect').then(() => true), wait(1_000, false)]).catch(() => false);
    if (came || tries === 0) return socket;
    await wait(200);
  }
};
const bytes = async (properties) => {
  const socket = await opened();
  const options = { protocolVersion: 5 };
  socket.write(generate({ cmd: 'connect', protocolId: 'MQTT', protocolVersion: 5, clean: true, clientId: 'bytes', keepalive: 60 }));
  await once(socket, 'data');
  socket.write(generate({ cmd: 'publish', topic: 'one', payload: 'x', qos: 1, messageId: 7, dup: false, retain: false, properties }, options));
  const [puback] = await once(socket, 'data');
  socket.destroy();
  return puback.toString('hex');
};
console.log(`without a user property: ${await bytes(undefined)}`);
const answer = await bytes({ userProperties: { a: '1' } });
console.log(`with a user property: ${answer}`);
const reads = parser({ protocolVersion: 5 });
reads.on('packet', ({ cmd }) => console.log(`mqtt-packet: ${cmd}`));
reads.on('error', (error) => console.log(`mqtt-packet: ${error.message}`));
reads.parse(Buffer.from(answer, 'hex'));
JS
came=$(node publish.mjs "$port")
echo "$came"
test "$came" = 'without a user property: 40020007
with a user property: 400b0007010726000161000131
mqtt-packet: Invalid puback reason code'
