import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../../support/free-port.ts';
import { until } from '../../support/until.ts';
import { startScenario } from '../scenario.ts';
import { configuration, proto, schema } from './configuration.ts';
import { type Cell, page } from './page.ts';
import { senders } from './senders.ts';
import { areThere, openServers } from './servers.ts';
import { callers, type Order, type Places } from './sources.ts';
import { type TargetKind, table, targets } from './targets.ts';

const sources = [...callers, ...senders];
const cells: Cell[] = [];
const ends: (() => unknown)[] = [];
let places: Places;

beforeAll(async () => {
  if (!areThere) return;
  const end = (work: () => unknown) => void ends.push(work);
  const servers = await openServers(end);
  const ports = { graphql: await freePort(), soap: await freePort(), tcp: await freePort(), grpc: await freePort() };
  const folder = mkdtempSync(join(tmpdir(), 'svc-rows-'));
  end(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'service.hcl'), configuration(servers.names));
  writeFileSync(join(folder, 'schema.graphql'), schema());
  mkdirSync(join(folder, 'proto'));
  writeFileSync(join(folder, 'proto', 'rows.proto'), proto);
  const service = await startScenario(folder, {
    env: {
      ...Object.fromEntries(Object.entries(ports).map(([name, port]) => [`${name.toUpperCase()}_PORT`, String(port)])),
      ...servers.env,
    },
    prepare: (directory) => {
      for (const [name, statement] of [
        ['rows.db', table],
        ['turns.db', 'CREATE TABLE turns (flow text, order_id text, state text)'],
      ] as const) {
        const database = new DatabaseSync(join(directory, name));
        database.exec(statement);
        database.close();
      }
    },
  });
  end(() => service.end());
  places = { service, ...ports, servers };
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

describe.skipIf(!areThere)('rows', { concurrent: true }, () => {
  for (const source of sources)
    test.for(targets)(`${source.title} into $title: the row that is named, and no other`, async (target) => {
      const key = `${source.name}-1`;
      const beside = `${source.name}-2`;
      const [insert] = sources;
      await insert?.send(places, target, 'insert', { key: beside, state: 'beside' });
      const step = async (
        verb: Parameters<typeof source.send>[2],
        order: Order,
        state: string | undefined,
        title: string = verb,
      ) => {
        const answered = await source.send(places, target, verb, order);
        let found = await stateOf(target, order.key);
        if (!source.answers) await until(async () => (found = await stateOf(target, order.key)) === state);
        cells.push({ source: source.title, target: target.title, verb: title, row: found ?? 'none', answered });
        expect([title, found]).toEqual([title, state]);
      };
      await step('insert', { key, state: 'new' }, 'new');
      await step('update', { key, state: 'paid' }, 'paid');
      if (source.answers) await step('update', { key, state: 'paid' }, 'paid', 'update to equal values');
      await step('upsert', { key, state: 'sent' }, 'sent');
      if (source.answers) await step('upsert', { key, state: 'sent' }, 'sent', 'upsert of equal values');
      if (source.answers) await step('read', { key }, 'sent');
      await step('delete', { key }, undefined);
      expect(await stateOf(target, beside)).toBe('beside');

      const flow = `${source.name}_${target.name}_update`;
      const unmatched = `svc_writes_unmatched_total{flow="${flow}",connector="${target.name}"}`;
      const failed = `svc_flow_executions_total{flow="${flow}",status="error"}`;
      const counted = async () =>
        (await places.service.metric(target.refusesMissing === true ? failed : unmatched)) ?? 0;
      expect(await counted()).toBe(0);
      const answered = await source.send(places, target, 'update', { key, state: 'lost' });
      await until(async () => (await counted()) === 1);
      cells.push({
        source: source.title,
        target: target.title,
        verb: 'update of no row',
        row: 'none',
        answered: target.refusesMissing === true ? 'a failure' : answered,
      });
      expect(await stateOf(target, key)).toBeUndefined();
    });
});

describe.skipIf(!areThere)('rows', () => {
  test('the page of the specification says what was run', async () => {
    const ordered = sources.flatMap(({ title: source }) =>
      targets.flatMap(({ title: target }) => cells.filter((each) => each.source === source && each.target === target)),
    );
    await expect(page(ordered)).toMatchFileSnapshot('../../../docs/specification/rows.md');
  });
});
