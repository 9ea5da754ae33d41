#!/usr/bin/env bash
# Moquette 0.17: a retained message comes to a new subscription without the retain flag.
#
# "When sending a PUBLISH Packet to a Client the Server MUST set the RETAIN flag to 1 if a message is sent as a result of a
# new subscription being made by a Client" (MQTT 3.1.1, MQTT-3.3.1-8). The broker keeps such a message and sends it to who
# subscribes later, with the flag 0: a client cannot tell the last known state from something that has happened now.
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
  /** The next packet of a kind; undefined when none came for a time. */
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
cat >retained.mjs <<'JS'
import { client } from './client.mjs';
const shown = (packet) => (packet === undefined ? 'nothing' : `${packet.payload}, retain ${packet.retain}`);
const sender = await client('sender', true);
await sender.publish('one', 'state', true);
const subscriber = await client('subscriber', true);
await subscriber.subscribe('one');
console.log(`new subscription: ${shown(await subscriber.next('publish'))}`);
subscriber.end();
sender.end();
JS
came=$(node retained.mjs "$port")
echo "$came"
test "$came" = 'new subscription: state, retain false'
