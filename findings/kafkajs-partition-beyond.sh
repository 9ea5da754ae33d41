#!/usr/bin/env bash
# kafkajs 2.2.4 with Apache Kafka 4.4.0: send() of a message for a partition that the topic does not have resolves.
#
# The promise resolves with an empty list, nothing is logged at level ERROR, and the message is nowhere. Of several
# messages, those for partitions that exist are stored, and the list is shorter than what was sent.
set -euo pipefail
for program in mvn java node; do command -v "$program" >/dev/null || { echo "needs $program"; exit 2; }; done
folder=$(mktemp -d)
broker=
trap '[ -z "$broker" ] || kill "$broker" 2>/dev/null; wait; rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund kafkajs@2.2.4

cat >pom.xml <<'XML'
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>finding</groupId>
  <artifactId>kafka</artifactId>
  <version>1</version>
  <dependencies>
    <dependency>
      <groupId>org.apache.kafka</groupId>
      <artifactId>kafka_2.13</artifactId>
      <version>4.4.0</version>
    </dependency>
  </dependencies>
</project>
XML
mvn -q -B dependency:build-classpath -Dmdep.outputFile=classpath
free() { node -e 'const s = require("node:net").createServer().listen(0, "127.0.0.1", () => { console.log(s.address().port); s.close(); })'; }
port=$(free) controller=$(free)
cat >server.properties <<CONF
process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:$controller
listeners=PLAINTEXT://127.0.0.1:$port,CONTROLLER://127.0.0.1:$controller
controller.listener.names=CONTROLLER
listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT
log.dirs=$folder/data
offsets.topic.replication.factor=1
CONF
run() { java -Xmx500m -cp "$(cat classpath)" "$@"; }
run kafka.tools.StorageTool format -t "$(run kafka.tools.StorageTool random-uuid)" -c server.properties >format.log 2>&1
run kafka.Kafka server.properties >broker.log 2>&1 &
broker=$!

cat >send.mjs <<'JS'
import kafkajs from 'kafkajs';
const kafka = new kafkajs.Kafka({ brokers: [`127.0.0.1:${process.argv[2]}`], logLevel: kafkajs.logLevel.NOTHING, retry: { retries: 30, maxRetryTime: 1_000 } });
const admin = kafka.admin();
await admin.connect();
await admin.createTopics({ waitForLeaders: true, topics: [{ topic: 'one', numPartitions: 1, replicationFactor: 1 }] });
const producer = kafka.producer({ createPartitioner: kafkajs.Partitioners.DefaultPartitioner });
await producer.connect();
const send = async (...partitions) => {
  const answers = await producer.send({ topic: 'one', acks: -1, messages: partitions.map((partition) => ({ partition, value: 'x' })) });
  return `${partitions.length} sent, ${answers.length} answered`;
};
console.log(`known: ${await send(0)}`);
console.log(`beyond: ${await send(7)}`);
console.log(`both: ${await send(0, 7)}`);
const [{ low, high }] = await admin.fetchTopicOffsets('one');
console.log(`stored: ${high - low}`);
await producer.disconnect();
await admin.disconnect();
JS
came=$(node send.mjs "$port")
echo "$came"
test "$came" = "known: 1 sent, 1 answered
beyond: 1 sent, 0 answered
both: 2 sent, 1 answered
stored: 2"
