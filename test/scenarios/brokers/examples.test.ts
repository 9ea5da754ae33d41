import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import {
  type Cluster,
  hasCluster,
  startCluster,
} from '../../../runtime/src/connectors/database/postgres/changes/testing/cluster.ts';
import { mqttUrl } from '../../../runtime/src/connectors/mqtt/testing/bed.ts';
import { KafkaStandIn } from '../../support/servers/kafka/stand-in.ts';
import { hasNats, startNats } from '../../support/servers/nats.ts';
import { until } from '../../support/until.ts';
import { migrate, type Scenario, startScenario } from '../scenario.ts';

const examples = join(import.meta.dirname, '..', '..', '..', 'examples');
const redisUrl = process.env['TEST_REDIS_URL'];
const name = () => `svc-example-${randomBytes(6).toString('hex')}`;
const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

/** Starts an example with its table. */
async function started(example: string, env: Record<string, string>): Promise<Scenario> {
  const service = await startScenario(join(examples, example), {
    env,
    prepare: (directory) => migrate(directory, ['db'], env),
  });
  cleanups.push(() => service.end());
  return service;
}

/** What an address answers, as soon as it has so many rows. */
const rows = (service: Scenario, path: string, count: number) =>
  until(async () => {
    const { body } = await service.ask('GET', path);
    return Array.isArray(body) && body.length === count ? body : undefined;
  });

test('payments-kafka books payments, and gives those of nothing up', async () => {
  const standIn = await KafkaStandIn.start();
  cleanups.push(() => standIn.stop());
  const service = await started('payments-kafka', { BROKERS: standIn.brokers[0] as string });
  for (const [account, cents] of [
    ['a', 250],
    ['b', 5],
    ['a', -50],
    ['c', 0],
    ['c', 7],
  ] as const)
    await service.ask('POST', '/payments', { account, cents });
  expect(await rows(service, '/balances', 3)).toEqual([
    { account: 'a', cents: 200 },
    { account: 'b', cents: 5 },
    { account: 'c', cents: 7 },
  ]);
  await until(() => standIn.topics.names.includes('payments.dlq'));
});

test.skipIf(!hasNats())('jobs-nats does what it is given', async () => {
  const nats = await startNats();
  cleanups.push(() => nats.stop());
  const service = await started('jobs-nats', { NATS_URL: nats.address });
  await service.ask('POST', '/jobs/shout', { text: 'tea' });
  expect(await rows(service, '/results', 1)).toEqual([{ result: 'TEA' }]);
});

test.skipIf(redisUrl === undefined)('prices-redis keeps the prices that it hears', async () => {
  const service = await started('prices-redis', { REDIS_URL: redisUrl as string, PREFIX: name() });
  expect((await service.ask('POST', '/prices/tea', { price: 4.5 })).body).toMatchObject({ receivers: 1 });
  expect(await rows(service, '/prices', 1)).toEqual([{ item: 'tea', price: 4.5 }]);
});

test.skipIf(mqttUrl === undefined)('sensors-mqtt keeps what sensors measure, by room', async () => {
  const place = name();
  const env = { MQTT_URL: mqttUrl as string, CLIENT_ID: place, PLACE: place };
  const service = await started('sensors-mqtt', env);
  await service.ask('POST', '/rooms/hall', { celsius: 21 });
  expect(await rows(service, '/rooms', 1)).toEqual([{ room: 'hall', celsius: 21 }]);
});

describe.skipIf(!hasCluster)('a database whose changes are taken', () => {
  test('stock-changes notes what others change', async () => {
    const cluster: Cluster = await startCluster();
    cleanups.push(() => cluster.stop());
    const database = await cluster.database();
    cleanups.push(() => database.drop());
    await database.rows('CREATE TABLE stock (item text PRIMARY KEY, amount int NOT NULL)');
    const service = await started('stock-changes', { POSTGRES_URL: database.url, SLOT: database.slot });
    await database.rows("INSERT INTO stock VALUES ('tea', 5)");
    await database.rows('UPDATE stock SET amount = 4');
    await database.rows('UPDATE stock SET amount = 3');
    expect(await rows(service, '/history/tea', 2)).toEqual([{ left: 4 }, { left: 3 }]);
    await service.end();
  });
});
