import { describe, expect, test } from 'vitest';
import { connectorServices } from '../../../../test/support/connector-services.ts';
import type { Clock } from '../../observe/clock.ts';
import { Nodes } from './nodes.ts';
import { openConnector, run, startServer } from './testing/bed.ts';

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
});
