import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { connectors } from '../../../runtime/src/connectors/catalog.ts';
import { until } from '../../support/until.ts';
import { rows } from './index.ts';
import { PeersAway } from './peers-away.ts';
import { BuiltServices } from './place.ts';

/**
 * Whether it asks a peer that can be behind a proxy: a provider of identities says in its answers where it is, and the
 * client of SOAP asks another row.
 */
const asks = (connector: string) =>
  connectors[connector]?.source?.listens === undefined && !/^(oauth|soap)\//.test(connector);

/** Connectors that ask a peer, each in the first of its ways. */
const asking = rows.filter(
  ({ connector, isMissing, asksAnother }, at) =>
    isMissing !== true &&
    asksAnother !== true &&
    asks(connector) &&
    rows.findIndex((row) => row.connector === connector && row.isMissing !== true) === at,
);

describe('optional connectors whose peers are unavailable when the service starts', () => {
  const peers = new PeersAway();
  let service: BuiltServices;
  let away: ReadonlyMap<string, string>;
  beforeAll(async () => {
    service = await BuiltServices.start(asking, (end) => peers.behind(end));
    for (const { name } of asking) service.end(name);
    const components = Object.entries(await service.health());
    const degraded = components.filter(([, { status }]) => status !== 'healthy');
    expect(degraded.filter(([, { status }]) => status !== 'degraded')).toEqual([]);
    away = new Map(degraded.map(([name, { message = '' }]) => [name, message]));
  });

  test('are those that have a connection of their own', () => {
    const found = [...away].filter(([, message]) => message.includes('is unavailable since')).map(([name]) => name);
    expect(found.map((name) => asking.find((row) => row.name === name)?.connector).sort()).toEqual(
      asking
        .map(({ connector }) => connector)
        .filter((connector) => connecting.includes(connector))
        .sort(),
    );
  });

  test.each(asking)('$connector fails at once, and names its peer', async ({ name, connector }) => {
    if (connectors[connector]?.target === undefined || !away.has(name)) return;
    const began = performance.now();
    expect(await service.call(name, randomUUID())).toEqual({ error: expect.any(String), code: expect.any(String) });
    if (connecting.includes(connector)) expect(performance.now() - began).toBeLessThan(5_000);
  });

  test('are open when their peers are there', async () => {
    await peers.arrive();
    await until(async () => Object.values(await service.health()).every(({ status }) => status === 'healthy'));
  });

  test.each(asking)('$connector is used then', async ({ name, connector }) => {
    const { sends, takes } = service.end(name);
    const { target, source } = connectors[connector] ?? {};
    const [sent, taken] = [randomUUID(), randomUUID()];
    if (target !== undefined)
      expect(await (sends === undefined ? service.call(name, sent) : sends(sent, service))).toBe(sent);
    if (source !== undefined) expect(await takes?.(taken, service)).toBe(taken);
  });

  test('are closed', async () => {
    expect(await service.close()).toEqual([0, 0]);
    await peers.close();
  });
});

/** Connectors that connect when they are opened; the others ask when they are asked. */
const connecting: readonly string[] = [
  'database/mysql',
  'database/postgres',
  'database/postgres/changes',
  'database/mongodb',
  'search',
  'cache/kv',
  'mq/amqp',
  'mq/pubsub',
  'mq/nats',
  'mq/log',
  'mqtt',
  'files/object-store',
  'files/object-store/as-file',
  'files/ftp',
  'exec/ssh',
  'grpc/client',
  'notify/email/smtp',
];
