import { randomBytes } from 'node:crypto';
import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { WebSocket } from 'ws';
import { testServer } from '../../../runtime/src/connectors/database/mongodb/testing/server.ts';
import {
  type Cluster,
  hasCluster,
  startCluster,
} from '../../../runtime/src/connectors/database/postgres/changes/testing/cluster.ts';
import { NatsBed, natsUrl } from '../../../runtime/src/connectors/mq/nats/testing/bed.ts';
import { redisUrl } from '../../../runtime/src/connectors/mq/pubsub/testing/bed.ts';
import { brokerClient, mqttUrl } from '../../../runtime/src/connectors/mqtt/testing/bed.ts';
import { folderWith } from '../../support/folder.ts';

/** A place at a real server of its own, whose messages are pushed. */
export interface PushedPlace {
  /** What the debug endpoint calls the kind, and the place. */
  readonly type: string;
  readonly source: string;
  /** The connector `orders` that takes from it, the operation of its flow, and where the number is in what that gets. */
  readonly connector: string;
  readonly operation: string;
  readonly number: string;
  /** Sends numbers, one after another, to the service that listens at `address`. */
  publish(numbers: readonly number[], address: string): Promise<void>;
  /** Ends at once what the server keeps for a process that was killed, where that takes long. */
  forget?(): Promise<unknown>;
  close(): Promise<void>;
}

/** What differs between servers. */
export interface PushedSource {
  readonly name: string;
  readonly isHere: boolean;
  /** Messages that were not settled when the process ended come again. */
  readonly redelivers: boolean;
  place(): Promise<PushedPlace>;
}

const name = () => `svc-test-${randomBytes(6).toString('hex')}`;

async function topicPlace(): Promise<PushedPlace> {
  const [clientId, publisher] = [name(), await brokerClient()];
  const topic = `${clientId}/readings`;
  return {
    type: 'mqtt',
    source: topic,
    connector: `connector "orders" {
      type          = "mqtt"
      broker        = "${mqttUrl}"
      client_id     = "${clientId}"
      qos           = 1
      clean_session = false
    }`,
    operation: topic,
    number: 'input.n',
    publish: async (numbers) => {
      for (const n of numbers) await publisher.publishAsync(topic, JSON.stringify({ n }), { qos: 1 });
    },
    close: async () => {
      // A clean session ends the one that the broker keeps.
      const forget = await brokerClient({ clientId, clean: true });
      await forget.endAsync();
      await publisher.endAsync();
    },
  };
}

async function channelPlace(): Promise<PushedPlace> {
  const [channel, client] = [name(), new Redis(redisUrl as string)];
  return {
    type: 'kv_pubsub',
    source: channel,
    connector: `connector "orders" {
      type     = "mq"
      driver   = "redis"
      url      = "${redisUrl}"
      channels = ["${channel}"]
    }`,
    operation: channel,
    number: 'input.n',
    publish: async (numbers) => {
      for (const n of numbers) await client.publish(channel, JSON.stringify({ n }));
    },
    close: async () => client.disconnect(),
  };
}

async function subjectPlace(): Promise<PushedPlace> {
  const bed = await NatsBed.ofSubjects();
  return {
    type: 'nats',
    source: bed.subject,
    connector: `connector "orders" {
      type   = "mq"
      driver = "nats"
      url    = "${natsUrl}"
    }`,
    operation: bed.subject,
    number: 'input.body.n',
    publish: (numbers) => bed.publish(numbers.map((n) => JSON.stringify({ n }))),
    close: () => bed.close(),
  };
}

let cluster: Promise<Cluster> | undefined;

/** Ends the servers that were started for these places. */
export async function stopServers(): Promise<void> {
  await (await cluster)?.stop();
}

async function changePlace(): Promise<PushedPlace> {
  cluster ??= startCluster();
  const database = await (await cluster).database();
  return {
    type: 'cdc',
    source: 'orders',
    connector: `connector "orders" {
      type              = "cdc"
      url               = "${database.url}"
      slot_name         = "${database.slot}"
      create_if_missing = true
      tables            = ["messages"]
    }`,
    operation: 'INSERT:messages',
    number: 'int(input.new.body)',
    publish: async (numbers) => {
      for (const n of numbers) await database.rows('INSERT INTO messages (body) VALUES ($1)', [String(n)]);
    },
    close: () => database.drop(),
  };
}

async function documentPlace(): Promise<PushedPlace> {
  const server = await testServer();
  return {
    type: 'mongodb',
    source: 'messages',
    connector: `connector "orders" {
      type     = "database"
      driver   = "mongodb"
      uri      = "mongodb://${server.credentials}${server.host}:${server.port}/"
      database = "${server.name}"
      direct   = true
      changes {
        workers = 2
      }
    }`,
    operation: 'messages',
    number: 'input.document.n',
    publish: async (numbers) => {
      for (const n of numbers) await server.database.collection('messages').insertOne({ n });
    },
    forget: () => server.database.collection('_svc_resume').updateMany({}, { $set: { until: new Date(0) } }),
    close: () => server.stop(),
  };
}

async function clientPlace(): Promise<PushedPlace> {
  const sockets: WebSocket[] = [];
  return {
    type: 'websocket',
    source: 'orders',
    connector: `connector "orders" {
      type = "websocket"
      host = "127.0.0.1"
      port = env("PORT", "3000")
    }`,
    operation: 'message',
    number: 'input.n',
    // Each comes from a client of its own: the events of one are handled one after another anyway.
    publish: async (numbers, address) => {
      for (const n of numbers) {
        const socket = new WebSocket(`${address.replace('http', 'ws')}/ws`);
        sockets.push(socket);
        socket.on('error', () => undefined);
        await new Promise((resolve) => socket.once('open', resolve));
        socket.send(JSON.stringify({ type: 'message', data: { n } }));
        await new Promise<void>((resolve) => {
          socket.once('pong', () => resolve());
          socket.ping();
        });
      }
    },
    close: async () => {
      for (const socket of sockets) socket.terminate();
    },
  };
}

/** Files of a folder, each of which is moved when it was handled. */
async function folderPlace(): Promise<PushedPlace> {
  const [folder, beside] = [folderWith(), folderWith()];
  let last = 0;
  return {
    type: 'file',
    source: 'orders',
    connector: `connector "orders" {
      type           = "file"
      base_path      = "${folder}"
      watch_interval = "50ms"
      watch {
        done   = "done"
        failed = "failed"
      }
    }`,
    operation: '*.json',
    number: 'input.n',
    publish: async (numbers) => {
      for (const n of numbers) {
        const name = `${String(++last).padStart(3, '0')}.json`;
        await writeFile(join(beside, name), JSON.stringify({ n }));
        await rename(join(beside, name), join(folder, name));
      }
    },
    close: async () => {
      for (const each of [folder, beside]) await rm(each, { recursive: true });
    },
  };
}

/** Every source whose messages come as they are pushed. */
export const pushedSources: readonly PushedSource[] = [
  { name: 'mqtt', isHere: mqttUrl !== undefined, redelivers: true, place: topicPlace },
  { name: 'kv_pubsub', isHere: redisUrl !== undefined, redelivers: false, place: channelPlace },
  { name: 'nats without a stream', isHere: natsUrl !== undefined, redelivers: false, place: subjectPlace },
  { name: 'cdc', isHere: hasCluster, redelivers: true, place: changePlace },
  { name: 'changes of mongodb', isHere: true, redelivers: true, place: documentPlace },
  { name: 'files of a folder', isHere: true, redelivers: true, place: folderPlace },
  { name: 'websocket', isHere: true, redelivers: false, place: clientPlace },
];
