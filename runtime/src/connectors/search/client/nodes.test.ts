import { describe, expect, test } from 'vitest';
import { connectorServices, type LogLine, recordingLog } from '../../../../../test/support/connector-services.ts';
import { faultProxy } from '../../../../../test/support/proxy.ts';
import { until } from '../../../../../test/support/until.ts';
import type { Clock } from '../../../foundation/observe/clock.ts';
import { failureOf, openConnector, run, startServer } from '../testing/bed.ts';
import { Nodes } from './nodes.ts';

const never = new AbortController().signal;

/** A clock that a test moves. */
function clockAt(state: { now: number }): Clock {
  return { ...connectorServices().clock, elapsed: () => state.now };
}

describe('nodes', () => {
  test('are asked in turn; one that cannot be reached is left out, twice as long after each failure', () => {
    const state = { now: 0 };
    const nodes = new Nodes(
      ['http://a', 'http://b', 'http://c/base/'].map((text) => new URL(text)),
      clockAt(state),
    );
    const next = () => nodes.next(new Set());
    const three = () => [next(), next(), next()].map(({ origin }) => origin.slice(7));
    expect([three(), three()]).toEqual([
      ['a', 'b', 'c'],
      ['a', 'b', 'c'],
    ]);
    const a = next();
    nodes.failed(a);
    expect(three()).toEqual(['b', 'c', 'b']);
    state.now = 1_000;
    expect(three().toSorted()).toEqual(['a', 'b', 'c']);
    nodes.failed(a);
    state.now = 2_999;
    expect(three()).not.toContain('a');
    state.now = 3_000;
    expect(three()).toContain('a');
    nodes.reached(a);
    nodes.failed(a);
    state.now = 4_000;
    expect(three()).toContain('a');
    expect([a.base, [next(), next(), next()].find(({ origin }) => origin === 'http://c')?.base]).toEqual(['', '/base']);
  });

  test('are asked even when none could be reached: the one that was left out first', () => {
    const state = { now: 0 };
    const nodes = new Nodes([new URL('http://a'), new URL('http://b')], clockAt(state));
    const [a, b] = [nodes.next(new Set()), nodes.next(new Set())];
    nodes.failed(b);
    state.now = 500;
    nodes.failed(a);
    expect([nodes.next(new Set()).origin, nodes.next(new Set([b])).origin]).toEqual(['http://b', 'http://a']);
  });

  test('of a cluster share the requests; when one is gone no request fails', async () => {
    const servers = [await startServer(), await startServer()] as const;
    const [one] = servers;
    for (const server of servers) server.index('books').put('b1', { title: 'emma' }, false);
    const state = { now: 0 };
    const connector = await openConnector(
      { nodes: servers.map(({ url }) => url), url: 'http://127.0.0.1:1', index: 'books' },
      connectorServices({ clock: clockAt(state) }),
    );
    const ask = () => run(connector, { operation: 'get' }, { filters: { id: 'b1' } });
    for (let at = 0; at < 4; at++) await ask();
    const asked = () => servers.map(({ seen }) => seen.filter(({ path }) => path.startsWith('/books')).length);
    expect(asked()).toEqual([2, 2]);
    await one.close();
    for (let at = 0; at < 4; at++) expect((await ask()).rows?.length).toBe(1);
    expect(asked()).toEqual([2, 6]);
  });

  test('that do not answer are named by the check, and do not keep the others from being asked', async () => {
    const server = await startServer();
    server.index('books').put('b1', { title: 'emma' }, false);
    const proxy = await faultProxy({ port: server.port });
    proxy.fault = 'blackhole';
    const silent = `http://127.0.0.1:${proxy.port}`;
    const lines: LogLine[] = [];
    const nodes = [silent, 'http://127.0.0.1:1', server.url];
    const connector = await openConnector({ nodes, index: 'books' }, connectorServices({ log: recordingLog(lines) }));
    const said = `2 of 3 nodes do not answer: ${silent}, http://127.0.0.1:1`;
    expect(lines.map(({ level, message }) => [level, message])).toEqual([['warn', said]]);
    expect((await run(connector, { operation: 'get' }, { filters: { id: 'b1' } })).rows?.length).toBe(1);
    server.health = { status: 'red', unassigned_shards: 1 };
    expect(await connector.check?.(never)).toBe(
      `${said}; the health of the cluster is red, with 1 unassigned shards: a part of the documents cannot be found`,
    );
    server.health = { status: 'green' };
    proxy.fault = 'pass';
    expect(await connector.check?.(never)).toBe('1 of 3 nodes do not answer: http://127.0.0.1:1');
    await server.close();
    expect((await failureOf(Promise.resolve(connector.check?.(never)))).code).toBe('connector_refused');
    await proxy.close();
  });

  test('that break off while they are asked for something are replaced by others at once; a write is not repeated', async () => {
    const [server, other] = [await startServer(), await startServer()];
    for (const each of [server, other]) each.index('stuck').put('b1', { n: 1 }, false);
    other.isReleased = true;
    const proxy = await faultProxy({ port: server.port });
    const nodes = [`http://127.0.0.1:${proxy.port}`, other.url];
    const connector = () => openConnector({ nodes, index: 'stuck' });
    const read = run(await connector(), { operation: 'get' }, { filters: { id: 'b1' } });
    await until(() => server.held.size === 1);
    proxy.reset();
    expect((await read).rows).toEqual([{ n: 1, _id: 'b1' }]);
    const write = failureOf(run(await connector(), { verb: 'create' }, { payload: { id: 'b2', n: 2 } }));
    await until(() => server.held.size === 1);
    proxy.reset();
    expect([(await write).code, other.index('stuck').documents.size]).toEqual(['outcome_unknown', 1]);
    await proxy.close();
  });
});
