import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { connect } from 'amqplib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { testServer } from '../../../runtime/src/connectors/database/mongodb/testing/server.ts';
import { MysqlDatabase, mysqlUrl } from '../../../runtime/src/connectors/database/mysql/testing/database.ts';
import { hasCluster, startCluster } from '../../../runtime/src/connectors/database/postgres/changes/testing/cluster.ts';
import { brokerUrl } from '../../../runtime/src/connectors/mq/testing/broker.ts';
import { SearchServer } from '../../../runtime/src/connectors/search/testing/server.ts';
import { freePort } from '../../support/free-port.ts';
import { until } from '../../support/until.ts';
import { startScenario } from '../scenario.ts';
import { changedTable, configuration, queueOf, schema, written } from './configuration.ts';
import { type Cell, page } from './page.ts';
import { type Order, type Places, sources } from './sources.ts';
import { type TargetKind, table, targets } from './targets.ts';

const isWhole = hasCluster && mysqlUrl !== undefined && brokerUrl !== undefined;
const cells: Cell[] = [];
const ends: (() => unknown)[] = [];
let places: Places;

beforeAll(async () => {
  if (!isWhole) return;
  const end = (work: () => unknown) => void ends.push(work);
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
  const search = await SearchServer.start();
  end(() => search.close());
  const broker = await connect(brokerUrl as string);
  end(() => broker.close());
  const channel = await broker.createConfirmChannel();
  const queues = `svc-rows-${mysql.name}`;
  const named = targets.flatMap((target) => written.map((verb) => queueOf(queues, target, verb)));
  for (const queue of named) await channel.assertQueue(queue);
  end(async () => {
    for (const queue of named) await channel.deleteQueue(queue);
  });
  const [graphql, soap, tcp] = [await freePort(), await freePort(), await freePort()];
  const folder = mkdtempSync(join(tmpdir(), 'svc-rows-'));
  end(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'service.hcl'), configuration());
  writeFileSync(join(folder, 'schema.graphql'), schema());
  const service = await startScenario(folder, {
    env: {
      GRAPHQL_PORT: String(graphql),
      SOAP_PORT: String(soap),
      TCP_PORT: String(tcp),
      POSTGRES: postgres.url,
      CHANGES: postgres.url,
      SLOT: postgres.slot,
      MYSQL: mysql.url,
      MONGODB: `mongodb://${mongodb.credentials}${mongodb.host}:${mongodb.port}/?directConnection=true`,
      MONGODB_DATABASE: mongodb.name,
      SEARCH: search.url,
      BROKER: brokerUrl as string,
      QUEUES: queues,
    },
    prepare: (directory) => {
      const database = new DatabaseSync(join(directory, 'rows.db'));
      database.exec(table);
      database.close();
    },
  });
  end(() => service.end());
  const publish = async (queue: string, body: object) => {
    channel.sendToQueue(queue, Buffer.from(JSON.stringify(body)));
    await channel.waitForConfirms();
  };
  places = {
    service,
    graphql,
    soap,
    tcp,
    queues,
    publish,
    change: (statement, values) => postgres.rows(statement, [...values]),
  };
});
afterAll(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/** The state of an order; undefined where it is absent. */
async function stateOf({ name }: TargetKind, key: string): Promise<string | undefined> {
  const { body } = await places.service.ask('GET', `/${name}/orders/${key}`);
  const [row] = Array.isArray(body) ? (body as { state?: string }[]) : [];
  return row?.state;
}

describe.skipIf(!isWhole)('rows', () => {
  for (const source of sources)
    test.for(targets)(`${source.title} into $title: the row that is named, and no other`, async (target) => {
      const key = `${source.name}-1`;
      const beside = `${source.name}-2`;
      const [insert] = sources;
      await insert?.send(places, target, 'insert', { key: beside, state: 'beside' });
      const step = async (verb: Parameters<typeof source.send>[2], order: Order, state: string | undefined) => {
        const answered = await source.send(places, target, verb, order);
        let found = await stateOf(target, order.key);
        if (!source.answers) await until(async () => (found = await stateOf(target, order.key)) === state);
        cells.push({ source: source.title, target: target.title, verb, row: found ?? 'none', answered });
        expect([verb, found]).toEqual([verb, state]);
      };
      await step('insert', { key, state: 'new' }, 'new');
      await step('update', { key, state: 'paid' }, 'paid');
      await step('upsert', { key, state: 'sent' }, 'sent');
      if (source.answers) await step('read', { key }, 'sent');
      await step('delete', { key }, undefined);
      expect(await stateOf(target, beside)).toBe('beside');

      const flow = `${source.name}_${target.name}_update`;
      const unmatched = `svc_writes_unmatched_total{flow="${flow}",connector="${target.name}"}`;
      const failed = `svc_flow_executions_total{flow="${flow}",status="error"}`;
      const counted = async () =>
        (await places.service.metric(target.refusesMissing === true ? failed : unmatched)) ?? 0;
      const before = await counted();
      const answered = await source.send(places, target, 'update', { key, state: 'lost' });
      await until(async () => (await counted()) > before);
      cells.push({
        source: source.title,
        target: target.title,
        verb: 'update of no row',
        row: 'none',
        answered: target.refusesMissing === true ? 'a failure' : answered,
      });
      expect(await stateOf(target, key)).toBeUndefined();
    });

  test('the page of the specification says what was run', async () => {
    await expect(page(cells)).toMatchFileSnapshot('../../../docs/specification/rows.md');
  });
});
