import { describe, expect, test } from 'vitest';
import { type FaultProxy, faultProxy } from '../../../../../test/support/proxy.ts';
import { until } from '../../../../../test/support/until.ts';
import type { Connector } from '../../../foundation/contracts/connector.ts';
import { closedAfterEach, failureOf, never, typed } from './faults.ts';

/** A connector or store that uses a server. */
export interface PeerClient {
  readonly name: string;
  /** The server of the tests; undefined skips the line. */
  readonly server: string | undefined;
  readonly port: number;
  /** A client without connections of its own asks nothing when it opens. */
  readonly connects?: 'when asked';
  /** Questions that are asked side by side, where each of them costs much. Absent: 20. */
  readonly sideBySide?: number;
  /** Makes one that reaches its server at this port, with deadlines of about a second and two connections at most. */
  readonly make: (url: URL) => Peer;
}

export interface Peer extends Pick<Connector, 'open' | 'close' | 'check'> {
  /** Asks the server for what is given, and resolves with what it answers. */
  readonly echo: (text: string) => Promise<unknown>;
}

/**
 * Holds each client to a server that is silent, slow, refused or cut. Clients are tested beside each other, since their
 * tests wait most of the time; those of one client come one after another.
 */
export function clientPeerConformance(clients: readonly PeerClient[]): void {
  describe.concurrent.each(clients)('$name', (client) => {
    describe('A-04: a peer', { concurrent: false, skip: client.server === undefined }, () => peerSuite(client));
  });
}

function peerSuite({ server, port, make, connects, sideBySide = 20 }: PeerClient): void {
  const closed = closedAfterEach();

  async function proxied(): Promise<{ readonly proxy: FaultProxy; readonly peer: Peer }> {
    const url = new URL(server as string);
    const proxy = await faultProxy({ host: url.hostname, port: Number(url.port || port) });
    closed(() => proxy.close());
    url.hostname = '127.0.0.1';
    url.port = String(proxy.port);
    const peer = make(url);
    closed(() => peer.close());
    return { proxy, peer };
  }

  async function opened() {
    const both = await proxied();
    await both.peer.open(never);
    expect(await both.peer.echo('first')).toBe('first');
    return both;
  }

  /** More than there are connections, so that each of them is hit. */
  const many = (peer: Peer) => Array.from({ length: 5 }, (_, at) => peer.echo(`asked ${at}`));

  const recovers = async ({ echo, check }: Peer) => {
    await until(async () => (await echo('after')) === 'after');
    // Answers belong to their questions: nothing of the time before is taken for an answer.
    const wrong: unknown[] = [];
    const texts = Array.from({ length: sideBySide }, (_, at) => `after ${at}`);
    await until(async () => {
      const answers = await Promise.allSettled(texts.map(echo));
      for (const [at, answer] of answers.entries()) {
        if (answer.status === 'fulfilled' && answer.value !== texts[at]) wrong.push([texts[at], answer.value]);
      }
      return answers.every(({ status }) => status === 'fulfilled');
    });
    expect(wrong).toEqual([]);
    await until(async () => check?.(never).then(() => true));
  };

  test.each(['blackhole', 'refuse'] as const)(
    'that is a %s at the start is reported, and can be closed',
    async (fault) => {
      const { proxy, peer } = await proxied();
      proxy.fault = fault;
      if (connects === 'when asked') await peer.open(never);
      const asked = connects === 'when asked' ? peer.echo('first') : peer.open(never);
      expect(typed).toContain((await failureOf(asked)).code);
      await peer.close();
    },
  );

  test('that goes silent is noticed, by its questions and the check of health, and recovered from', async () => {
    const { proxy, peer } = await opened();
    proxy.fault = 'blackhole';
    for (const failure of await Promise.all(many(peer).map(failureOf)))
      expect([failure.code, failure.retriable]).toEqual([expect.toBeOneOf(typed), true]);
    expect(typed).toContain((await failureOf(Promise.resolve(peer.check?.(never)))).code);
    proxy.fault = 'pass';
    await recovers(peer);
  });

  test('that goes silent does not keep it from closing', async () => {
    const { proxy, peer } = await opened();
    proxy.fault = 'blackhole';
    const asked = Promise.all(many(peer).map(failureOf));
    await peer.close();
    await asked;
    await until(() => proxy.connections === 0);
  });

  test('that is slow is waited for until the deadline, and recovered from', async () => {
    const { proxy, peer } = await opened();
    proxy.fault = 'drip';
    for (const answer of await Promise.allSettled(many(peer))) {
      if (answer.status === 'fulfilled') expect(answer.value).toMatch(/^asked \d$/);
      else expect(typed).toContain(answer.reason.code);
    }
    proxy.fault = 'pass';
    await recovers(peer);
  });

  test('that is cut in the middle of what is sent is reported, and recovered from', async () => {
    const { proxy, peer } = await opened();
    proxy.fault = 'cut';
    for (const failure of await Promise.all(many(peer).map(failureOf)))
      expect([failure.code, failure.retriable]).toEqual([expect.toBeOneOf(typed), true]);
    proxy.fault = 'pass';
    await recovers(peer);
  });

  test('that is reset while nothing is asked is recovered from', async () => {
    const { proxy, peer } = await opened();
    proxy.reset();
    await recovers(peer);
  });
}

/** A connector as the suite uses it. */
export function peerOf(client: Pick<Connector, 'open' | 'close' | 'check'>, echo: Peer['echo']): Peer {
  return {
    open: (signal) => client.open(signal),
    close: () => client.close(),
    check: async (signal) => client.check?.(signal),
    echo,
  };
}
