#!/usr/bin/env bash
# Moquette 0.17: a message that comes while its client is away takes the place of one that was not acknowledged.
#
# What a client has not acknowledged is to be sent again when it takes up its session (MQTT 3.1.1, MQTT-4.4.0-1), and a
# packet identifier in use is not to be given to another message (MQTT-2.3.1-4). The broker sends such a message again,
# but numbers from 1 anew with each connection: what it sends first has the identifier of the message that is still to be
# acknowledged, and replaces it. So a client that acknowledges after its work loses what it had under way when its
# connection ends, unless nothing was sent meanwhile.
set -euo pipefail
for program in mvn java node; do command -v "$program" >/dev/null || { echo "needs $program"; exit 2; }; done
folder=$(mktemp -d)
broker=
trap '[ -z "$broker" ] || kill "$broker" 2>/dev/null; wait; rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund mqtt-packet@9.0.2

cat >pom.xml <<'XML'
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>finding</groupId>
  <artifactId>moquette</artifactId>
  <version>1</version>
  <dependencies>
    <dependency>
      <groupId>io.moquette</groupId>
      <artifactId>moquette-broker</artifactId>
      <version>0.17</version>
    </dependency>
  </dependencies>
</project>
XML
mvn -q -B dependency:build-classpath -Dmdep.outputFile=classpath
port=$(node -e 'const s = require("node:net").createServer().listen(0, "127.0.0.1", () => { console.log(s.address().port); s.close(); })')
mkdir config
cat >config/moquette.conf <<CONF
host 127.0.0.1
port $port
allow_anonymous true
persistence_enabled false
telemetry_enabled false
CONF
java -Xmx200m -Dmoquette.path="$folder" -cp "$(cat classpath)" io.moquette.broker.Server >broker.log 2>&1 &
broker=$!

cat >client.mjs <<'JS'
import { connect } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { generate, parser } from 'mqtt-packet';
const opened = async () => {
  for (let tries = 100; ; tries -= 1) {
    const socket = connect(Number(process.argv[2]), '127.0.0.1');
    const failed = await new Promise((resolve) => socket.once('connect', () => resolve()).once('error', resolve));
    if (failed === undefined) return socket;
    if (tries === 0) throw failed;
    await wait(200);
  }
};
export async function client(clientId, clean) {
  const socket = await opened();
  const packets = [];
  const reads = parser({ protocolVersion: 4 }).on('packet', (packet) => packets.push(packet));
  socket.on('data', (bytes) => reads.parse(bytes));
  const send = (packet) => socket.write(generate(packet));
  const next = async (kind, within = 10_000) => {
    for (const end = Date.now() + within; Date.now() < end; await wait(50)) {
      const place = packets.findIndex(({ cmd }) => cmd === kind);
      if (place >= 0) return packets.splice(place, 1)[0];
    }
    return undefined;
  };
  send({ cmd: 'connect', protocolId: 'MQTT', protocolVersion: 4, clean, clientId, keepalive: 60 });
  const { sessionPresent } = await next('connack');
  const subscribe = (topic) => {
    send({ cmd: 'subscribe', messageId: 1, subscriptions: [{ topic, qos: 1 }] });
    return next('suback');
  };
  const publish = (topic, payload, retain) => {
    send({ cmd: 'publish', topic, payload, qos: 1, messageId: 1, dup: false, retain });
    return next('puback');
  };
  return { sessionPresent, subscribe, publish, send, next, end: () => socket.destroy() };
}
JS
cat >again.mjs <<'JS'
import { setTimeout as wait } from 'node:timers/promises';
import { client } from './client.mjs';
const shown = ({ payload, messageId }) => `${payload} (${messageId})`;
const sender = await client('sender', true);
for (const meantime of [[], ['second']]) {
  const name = meantime.length === 0 ? 'one' : 'two';
  const before = await client(name, false);
  await before.subscribe(name);
  await sender.publish(name, 'first', false);
  console.log(`sent: ${shown(await before.next('publish'))}`);
  before.end();
  await wait(1_000);
  for (const payload of meantime) await sender.publish(name, payload, false);
  const after = await client(name, false);
  const came = new Set();
  for (const end = Date.now() + 15_000; Date.now() < end; ) {
    const packet = await after.next('publish', 1_000);
    if (packet !== undefined) came.add(shown(packet));
  }
  console.log(`connected again after ${meantime.length} more: ${[...came].join(', ') || 'nothing'}`);
  after.end();
}
sender.end();
JS
came=$(node again.mjs "$port")
echo "$came"
test "$came" = 'sent: first (1)
connected again after 0 more: first (1)
sent: first (1)
connected again after 1 more: second (1)'
