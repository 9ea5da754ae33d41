import { connect, createInbox } from '@nats-io/transport-node';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startNats } from '../../../../../test/support/servers/nats.ts';
import { findProgram } from '../../../../../test/support/servers/program.ts';
import { until } from '../../../../../test/support/until.ts';
import { describeCall } from '../../database/testing/parts.ts';
import { failureOf } from '../../testing/peers/faults.ts';
import { NatsBed } from './testing/bed.ts';

const server = findProgram('nats-server') === undefined ? undefined : await startNats();
afterAll(() => server?.stop());
const version = server === undefined ? '0.0' : await versionOf(server.address);
const isAtLeast = (minor: number) => Number(version.split('.')[1]) >= minor;

async function versionOf(servers: string): Promise<string> {
  const client = await connect({ servers });
  const found = client.info?.version ?? '';
  await client.close();
  return found;
}

describe.skipIf(server === undefined)('a server of NATS', () => {
  let bed: NatsBed;
  beforeEach(async () => {
    bed = await NatsBed.ofStream(server?.address);
  });
  afterEach(() => bed.close());

  const flows = { flows: { '': () => undefined } };
  const warnings = () => bed.lines.filter(({ level }) => level === 'warn').map(({ message }) => message);
  const taking = async (existing: object, written: object = {}) => {
    await bed.manager.consumers.add(bed.name, { durable_name: 'own', ack_policy: 'explicit', ...existing });
    return bed.open({ consumer: { ...bed.consumer, durable: 'own', ...written } }, flows);
  };
  const allow = async (settings: object) => {
    const { config } = await bed.manager.streams.info(bed.name);
    await bed.manager.streams.update(bed.name, { ...config, ...settings });
  };
  const send = async (params: object, target = bed.subject) => {
    const { connector } = await bed.open({ consumer: undefined, publisher: { confirms: true } });
    return connector.target.prepare(describeCall('create', { operation: 'PUBLISH', target }))({
      payload: { n: 1 },
      params: { ...params },
    });
  };

  describe.skipIf(!isAtLeast(11))('with priority groups', () => {
    const policies: readonly (readonly [policy: string, written: object])[] = [
      ['overflow', {}],
      ['overflow', { min_pending: 2 }],
      ['pinned_client', {}],
      ...(isAtLeast(12) ? [['prioritized', { priority: 3 }] as const] : []),
    ];
    test.each(policies)('gives those of policy %s to the group that is written, with %j', async (policy, written) => {
      const { taken, connector } = await taking(
        { priority_policy: policy, priority_groups: ['a', 'b'] },
        { priority_group: 'b', ...written },
      );
      await bed.publish(['1', '2', '3', '4', '5']);
      // With one alone left, fewer wait than `min_pending`.
      await until(() => taken.length >= ('min_pending' in written ? 4 : 5));
      expect(warnings()).toEqual([]);
      expect(await connector.check?.(new AbortController().signal)).toBeUndefined();
    });

    test('min_ack_pending is how many must be with others before messages are given', async () => {
      const groups = { priority_policy: 'overflow' as const, priority_groups: ['a'] };
      await bed.manager.consumers.add(bed.name, { durable_name: 'own', ack_policy: 'explicit', ...groups });
      await bed.publish(['1', '2']);
      const others: string[] = [];
      const reply = createInbox();
      bed.client.subscribe(reply, { callback: (_, message) => void others.push(message.string()) });
      const question = JSON.stringify({ batch: 1, group: 'a', expires: 5_000_000_000 });
      bed.client.publish(`$JS.API.CONSUMER.MSG.NEXT.${bed.name}.own`, question, { reply });
      await until(() => others.length === 1);
      const consumer = { ...bed.consumer, durable: 'own', priority_group: 'a', min_ack_pending: 1 };
      const { taken } = await bed.open({ consumer }, flows);
      await until(() => taken.length === 1);
      expect(taken.map(([, { body }]) => body)).toEqual([2]);
    });

    test('a client that is no longer the pinned one waits for its turn', async () => {
      const { taken } = await taking(
        { priority_policy: 'pinned_client', priority_groups: ['a'] },
        { priority_group: 'a', prefetch: 1 },
      );
      await bed.publish(['1']);
      await until(() => taken.length === 1);
      const unpinned = await bed.client.request(
        `$JS.API.CONSUMER.UNPIN.${bed.name}.own`,
        JSON.stringify({ group: 'a' }),
      );
      expect(unpinned.string()).not.toContain('error');
      await bed.publish(['2', '3']);
      await until(() => taken.length === 3);
      expect(warnings()).toEqual([]);
    });

    test.each([
      [{ priority_policy: 'overflow', priority_groups: ['a', 'b'] }, {}, /write one of "a", "b" as priority_group/],
      [
        { priority_policy: 'overflow', priority_groups: ['a'] },
        { priority_group: 'c' },
        /no priority group "c" but "a"/,
      ],
      [{}, { priority_group: 'c' }, /has no priority groups/],
      [
        { priority_policy: 'overflow', priority_groups: ['a'] },
        { priority_group: 'a', priority: 1 },
        /`priority` is known to "prioritized" alone/,
      ],
      [
        { priority_policy: 'pinned_client', priority_groups: ['a'] },
        { priority_group: 'a', min_pending: 1 },
        /are known to "overflow" alone/,
      ],
    ])('a consumer of %j with %j does not fit', async (existing, written, says) => {
      expect((await failureOf(taking(existing, written))).message).toMatch(says);
    });

    test.each(['overflow', 'pinned_client'])(
      'priority_policy %s is that of a consumer that is created',
      async (policy) => {
        const consumer = { ...bed.consumer, durable: 'made', create_if_missing: true };
        await bed.open({ consumer: { ...consumer, priority_group: 'a', priority_policy: policy } }, flows);
        const { config } = await bed.manager.consumers.info(bed.name, 'made');
        expect([config.priority_policy, config.priority_groups]).toEqual([policy, ['a']]);
      },
    );
  });

  test.skipIf(isAtLeast(11))('without priority groups does not give messages to one', async () => {
    const consumer = { ...bed.consumer, durable: 'made', create_if_missing: true };
    const written = { ...consumer, priority_group: 'a', priority_policy: 'overflow' };
    expect((await failureOf(bed.open({ consumer: written }, flows))).message).toMatch(
      /cannot be created|has no priority groups/,
    );
  });

  test('gives headers alone, which is a warning, and the dead letter has the body', async () => {
    await bed.manager.streams.add({ name: `${bed.name}_dead`, subjects: [`${bed.name}_dead`] });
    await bed.manager.consumers.add(bed.name, { durable_name: 'own', ack_policy: 'explicit', headers_only: true });
    const dlq = { subject: `${bed.name}_dead`, max_retries: 1 };
    const consumer = { ...bed.consumer, durable: 'own', dlq };
    const { taken } = await bed.open(
      { consumer },
      {
        flows: {
          '': () => {
            throw new Error('no');
          },
        },
      },
    );
    await bed.publish(['body'], bed.subject, { tenant: 'nord' });
    await until(async () => (await bed.manager.streams.info(`${bed.name}_dead`)).state.messages === 1);
    expect(taken.map(([, { body }]) => body)).toEqual(['', '']);
    expect(warnings()).toContain(
      'the consumer gives headers alone (headers_only): the body of a message is never there',
    );
    const letter = await bed.manager.streams.getMessage(`${bed.name}_dead`, { seq: 1 });
    expect([letter?.string(), letter?.header.get('tenant')]).toEqual(['body', 'nord']);
  });

  describe.skipIf(!isAtLeast(11))('keeps a message for a time', () => {
    test.each([
      ['5m', '300s'],
      [30, '30s'],
      ['never', 'never'],
    ])('ttl %s', async (ttl, header) => {
      await allow({ allow_msg_ttl: true });
      await send({ ttl });
      const stored = await bed.manager.streams.getMessage(bed.name, { last_by_subj: bed.subject });
      expect(stored?.header.get('Nats-TTL')).toBe(header);
    });

    test('where the stream allows it', async () => {
      const failure = await failureOf(send({ ttl: '5m' }));
      expect([failure.message, failure.retriable]).toEqual([
        'the stream did not store it: per-message TTL is disabled: write allow_msg_ttl = true in the configuration of the stream',
        false,
      ]);
    });
  });

  describe.skipIf(!isAtLeast(12))('publishes a message later', () => {
    const later = () => ({
      schedule: `@at ${new Date(Date.now() + 1_500).toISOString()}`,
      schedule_target: `${bed.name}.due`,
    });

    test('to the subject that is written', async () => {
      await allow({ allow_msg_schedules: true, allow_msg_ttl: true });
      await send({ ...later(), schedule_ttl: '1h' }, `${bed.name}.plan`);
      const due = await until(() => bed.manager.streams.getMessage(bed.name, { last_by_subj: `${bed.name}.due` }));
      expect([due.string(), due.header.get('Nats-TTL'), due.header.get('Nats-Scheduler')]).toEqual([
        '{"n":1}',
        '3600s',
        `${bed.name}.plan`,
      ]);
    });

    test('where the stream allows it', async () => {
      expect((await failureOf(send(later(), `${bed.name}.plan`))).message).toBe(
        'the stream did not store it: message schedules is disabled: write allow_msg_schedules = true in the configuration of the stream',
      );
    });

    test.each([
      ['schedule', { schedule: '@at tomorrow' }, 12],
      ['schedule_target', { schedule_target: 'elsewhere' }, 12],
      ['schedule_time_zone', { schedule: '0 0 0 * * *', schedule_time_zone: 'Europe/Nowhere' }, 14],
      ['schedule_source', { schedule_source: 'x' }, 14],
    ])('with a %s that the stream refuses never, and says so: %j', async (name, written, since) => {
      if (!isAtLeast(since)) return;
      await allow({ allow_msg_schedules: true, allow_msg_ttl: true });
      const failure = await failureOf(send({ ...later(), ...written }, `${bed.name}.plan`));
      expect([failure.code, failure.retriable, failure.fields?.[0]?.field, failure.message]).toEqual([
        'value_refused',
        false,
        name,
        expect.stringContaining(`the stream refuses the parameter "${name}": message schedules`),
      ]);
    });

    test.skipIf(!isAtLeast(14))('again and again, with what another subject has last', async () => {
      await allow({ allow_msg_schedules: true });
      await bed.publish(['latest'], `${bed.name}.from`);
      await send(
        {
          schedule: '* * * * * *',
          schedule_target: `${bed.name}.due`,
          schedule_source: `${bed.name}.from`,
          schedule_time_zone: 'Europe/Berlin',
        },
        `${bed.name}.plan`,
      );
      const due = await until(() => bed.manager.streams.getMessage(bed.name, { last_by_subj: `${bed.name}.due` }));
      expect(due.string()).toBe('latest');
    });
  });

  test.each([
    ['ttl', { ttl: '5m' }, 11],
    ['schedule', { schedule: '@at 2030-01-01T00:00:00Z', schedule_target: 'a.b' }, 12],
    ['schedule_time_zone', { schedule: '0 0 0 * * *', schedule_target: 'a.b', schedule_time_zone: 'UTC' }, 14],
  ])('that does not know %s is named', async (_, params, since) => {
    if (isAtLeast(since)) return;
    expect((await failureOf(send(params))).message).toMatch(/needs NATS 2\.1\d or later, and the server is 2\./);
  });

  test.each([
    ['ttl', { ttl: '500ms' }],
    ['ttl', { ttl: 'soon' }],
    ['schedule', { schedule: '@at 2030-01-01T00:00:00Z' }],
    ['schedule', { schedule: 'daily', schedule_target: 'a.b' }],
    ['schedule_target', { schedule: '@daily', schedule_target: 'a.*' }],
    ['schedule_ttl', { schedule_ttl: '1m' }],
  ])('is not asked with a malformed %s: %j', async (name, params) => {
    const failure = await failureOf(send(params));
    expect([failure.code, failure.fields?.[0]?.field]).toEqual(['parameters_invalid', name]);
  });
});
