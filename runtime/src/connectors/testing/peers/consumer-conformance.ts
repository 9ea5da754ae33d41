import { isRedelivered, type SourceSpec } from '@svc/protocol/schema';
import { describe, expect, test } from 'vitest';
import type { FaultProxy } from '../../../../../test/support/proxy.ts';
import { until } from '../../../../../test/support/until.ts';
import type { Message } from '../../../foundation/contracts/message.ts';
import type { Outcome } from '../../../foundation/contracts/outcome.ts';
import { withinTime } from '../../../platform/net/within-time.ts';
import type { EventConnector, SourceBed } from '../../intake/testing/conformance.ts';
import { closedAfterEach, failureOf, never, typed } from './faults.ts';

/** A connector that takes messages from a server. */
export interface PeerConsumer {
  readonly name: string;
  /** Undefined where the tests have no server. */
  readonly bed: (() => Promise<SourceBed & { readonly proxy: FaultProxy }>) | undefined;
}

/** Holds each consumer to a server that is silent, slow, refused or cut. Consumers are tested beside each other. */
export function consumerPeerConformance(consumers: readonly PeerConsumer[]): void {
  describe.concurrent.each(consumers)('$name', ({ bed }) => {
    describe('A-04: a peer of what takes messages', { concurrent: false, skip: bed === undefined }, () => {
      if (bed !== undefined) peerSuite(bed);
    });
  });
}

function peerSuite(makeBed: NonNullable<PeerConsumer['bed']>): void {
  const closed = closedAfterEach();

  async function made() {
    const bed = await makeBed();
    closed(() => bed.close());
    const connector = bed.connector({ workers: 1 });
    closed(() => connector.close());
    return { bed, connector, proxy: bed.proxy };
  }

  async function consuming() {
    const parts = await made();
    const { bed, connector } = parts;
    const taken = new Set<unknown>();
    const deliver = ({ input }: Message): Outcome => {
      taken.add(bed.textOf(input));
      return { kind: 'reply', value: null };
    };
    const flows = connector.source.bind([{ ...bed.binding, deliver }]);
    await flows.prepare();
    await connector.open(never);
    flows.use();
    await connector.source.start();
    // What its server does not keep is sent until it is heard, and may be lost.
    const isKept = isRedelivered(bed.spec.source as SourceSpec, bed.config);
    const takes = async (...bodies: string[]) => {
      await bed.publish(bodies);
      await until(async () => {
        const missing = bodies.filter((body) => !taken.has(body));
        if (!isKept) await bed.publish(missing);
        return missing.length === 0;
      });
    };
    await takes('first');
    return { ...parts, takes, taken, isKept };
  }

  const recovers = async (connector: EventConnector, takes: (...bodies: string[]) => Promise<void>) => {
    await takes('after 1', 'after 2');
    await until(async () => {
      await connector.check?.(AbortSignal.timeout(1_000));
      return true;
    });
  };

  test.each(['blackhole', 'refuse'] as const)(
    'that is a %s at the start is reported, and can be closed',
    async (fault) => {
      const { connector, proxy } = await made();
      proxy.fault = fault;
      const failure = await failureOf(withinTime(2_000, (signal) => connector.open(signal)));
      expect(typed).toContain(failure.code);
      await connector.close();
    },
  );

  test('that goes silent is noticed by the check of health, and recovered from; nothing is lost', async () => {
    const { bed, connector, proxy, takes, taken, isKept } = await consuming();
    proxy.fault = 'blackhole';
    await bed.publish(['meanwhile']);
    expect(typed).toContain((await failureOf(Promise.resolve(connector.check?.(AbortSignal.timeout(1_000))))).code);
    proxy.fault = 'pass';
    await recovers(connector, takes);
    // Some brokers give it again only when the time to acknowledge it is over.
    if (isKept) await until(() => taken.has('meanwhile'));
  });

  test('that goes silent does not keep it from closing when its time is over', async () => {
    const { connector, proxy } = await consuming();
    proxy.fault = 'blackhole';
    const cut = new AbortController();
    const closing = connector.close(cut.signal);
    cut.abort();
    await closing;
    await until(() => proxy.connections === 0);
  });

  test('R-66: that is slow has every acknowledgement when the connector is closed: nothing comes again', async ({
    skip,
  }) => {
    const { bed, connector, proxy, takes, isKept } = await consuming();
    skip(!isKept, 'nothing is acknowledged');
    // Longer than a connection that was lost is waited for.
    proxy.latency = 1_100;
    const sent = Array.from({ length: 10 }, (_, at) => `slow ${at}`);
    await takes(...sent);
    await connector.close(never);
    proxy.latency = 0;
    const again = bed.connector({ workers: 1 });
    closed(() => again.close());
    const later: unknown[] = [];
    const deliver = ({ input }: Message): Outcome => {
      later.push(bed.textOf(input));
      return { kind: 'reply', value: null };
    };
    const flows = again.source.bind([{ ...bed.binding, deliver }]);
    await flows.prepare();
    await again.open(never);
    flows.use();
    await again.source.start();
    await bed.publish(['last']);
    await until(() => later.includes('last') && again.source.events.unsettled === 0);
    expect(later).toEqual(['last']);
  });

  test.each(['drip', 'cut'] as const)('that is a %s is recovered from; nothing is lost', async (fault) => {
    const { bed, connector, proxy, takes, taken, isKept } = await consuming();
    proxy.fault = fault;
    await bed.publish(['during 1', 'during 2']);
    await connector.check?.(AbortSignal.timeout(1_000)).catch(() => undefined);
    proxy.fault = 'pass';
    await recovers(connector, takes);
    if (isKept) await until(() => taken.has('during 1') && taken.has('during 2'));
  });

  test('that is reset while nothing comes is recovered from', async () => {
    const { connector, proxy, takes } = await consuming();
    proxy.reset();
    await recovers(connector, takes);
  });
}
