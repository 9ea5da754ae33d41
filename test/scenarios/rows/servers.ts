import { jetstreamManager } from '@nats-io/jetstream';
import { connect as connectNats } from '@nats-io/transport-node';
import { connect as connectRabbit } from 'amqplib';
import { testServer } from '../../../runtime/src/connectors/database/mongodb/testing/server.ts';
import { MysqlDatabase, mysqlUrl } from '../../../runtime/src/connectors/database/mysql/testing/database.ts';
import { hasCluster, startCluster } from '../../../runtime/src/connectors/database/postgres/changes/testing/cluster.ts';
import { kafkaUrl, TestBrokers } from '../../../runtime/src/connectors/mq/log/testing/broker.ts';
import { natsUrl } from '../../../runtime/src/connectors/mq/nats/testing/bed.ts';
import { brokerUrl } from '../../../runtime/src/connectors/mq/testing/broker.ts';
import { brokerClient, mqttUrl } from '../../../runtime/src/connectors/mqtt/testing/bed.ts';
import { serverUrl as searchUrl } from '../../../runtime/src/connectors/search/testing/address.ts';
import { SearchServer } from '../../../runtime/src/connectors/search/testing/server.ts';
import { folderWith } from '../../support/folder.ts';
import { written } from './flows.ts';
import { changedTable, placeOf } from './messages.ts';
import { table, targets } from './targets.ts';

/** Servers of messages, as tests send to them. */
export interface Servers {
  /** Begins the names of queues, topics and subjects. */
  readonly names: string;
  /** The folder whose files are messages. */
  readonly files: string;
  readonly queue: (name: string, body: object) => Promise<unknown>;
  readonly log: (topic: string, body: object) => Promise<unknown>;
  readonly subject: (subject: string, body: object) => Promise<unknown>;
  readonly topic: (topic: string, body: object) => Promise<unknown>;
  readonly change: (statement: string, values: readonly unknown[]) => Promise<unknown>;
  /** Variables of the service that is connected with all of them. */
  readonly env: Readonly<Record<string, string>>;
}

export const areThere =
  hasCluster && [mysqlUrl, brokerUrl, kafkaUrl, natsUrl, mqttUrl].every((url) => url !== undefined);

/** A search engine without an index of that name: that of the tests, or a double. */
async function searchEngine(index: string, end: (work: () => unknown) => void): Promise<string> {
  if (searchUrl !== undefined) {
    end(() => fetch(`${searchUrl}/${index}`, { method: 'DELETE' }));
    return searchUrl;
  }
  const double = await SearchServer.start();
  end(() => double.close());
  return double.url;
}

/** Starts or opens every server; `end` is given what undoes it. */
export async function openServers(end: (work: () => unknown) => void): Promise<Servers> {
  const places = (names: string) => targets.flatMap((target) => written.map((verb) => placeOf(names, target, verb)));
  const cluster = await startCluster();
  end(() => cluster.stop());
  const postgres = await cluster.database();
  end(() => postgres.drop());
  const watched = targets.flatMap((target) => written.map((verb) => changedTable(target, verb)));
  await postgres.rows(
    [table, ...watched.map((name) => table.replace('orders', name).replace('PRIMARY KEY', ''))].join(';'),
  );
  const mysql = new MysqlDatabase();
  await mysql.create();
  end(() => mysql.drop());
  await mysql.run(table);
  const mongodb = await testServer();
  end(() => mongodb.stop());
  const names = `rows_${mysql.name}`;
  const search = await searchEngine(names, end);

  const rabbit = await connectRabbit(brokerUrl as string);
  end(() => rabbit.close());
  const channel = await rabbit.createConfirmChannel();
  for (const queue of places(names)) await channel.assertQueue(queue);
  end(async () => {
    for (const queue of places(names)) await channel.deleteQueue(queue);
  });
  const kafka = await TestBrokers.real();
  end(() => kafka.stop());
  for (const topic of places(names)) await kafka.create(topic);
  const nats = await connectNats({ servers: new URL(natsUrl as string).host });
  end(() => nats.close());
  end(async () => (await jetstreamManager(nats)).streams.delete(names));
  const mqtt = await brokerClient();
  end(() => mqtt.endAsync());
  const files = folderWith();
  return {
    names,
    files,
    queue: async (queue, body) => {
      channel.sendToQueue(queue, Buffer.from(JSON.stringify(body)));
      await channel.waitForConfirms();
    },
    log: (topic, body) => kafka.send(topic, [{ value: JSON.stringify(body) }]),
    // The stream acknowledges it.
    subject: (subject, body) => nats.request(subject, JSON.stringify(body)),
    topic: (topic, body) => mqtt.publishAsync(topic, JSON.stringify(body), { qos: 1 }),
    change: (statement, values) => postgres.rows(statement, [...values]),
    env: {
      POSTGRES: postgres.url,
      CHANGES: postgres.url,
      SLOT: postgres.slot,
      MYSQL: mysql.url,
      MONGODB: `mongodb://${mongodb.credentials}${mongodb.host}:${mongodb.port}/?directConnection=true`,
      MONGODB_DATABASE: mongodb.name,
      SEARCH: search,
      SEARCH_INDEX: names,
      BROKER: brokerUrl as string,
      KAFKA: kafka.addresses[0] as string,
      NATS: natsUrl as string,
      MQTT: mqttUrl as string,
      FILES: files,
    },
  };
}
