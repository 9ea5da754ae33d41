import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { until } from '../../../../../test/support/until.ts';
import { Failure } from '../../../foundation/errors/failure.ts';
import { NatsBed, natsUrl } from './testing/bed.ts';

const nothing = () => undefined;

describe.skipIf(natsUrl === undefined)('streams and consumers at the server', () => {
  let bed: NatsBed;
  beforeEach(async () => {
    bed = await NatsBed.ofStream();
  });
  afterEach(() => bed.close());

  const consumer = (written: Record<string, unknown>) => ({ consumer: { ...bed.consumer, ...written } });
  const refused = (written: Record<string, unknown>) =>
    bed.open(consumer(written), { flows: { '': nothing } }).then(
      () => expect.fail('it was opened'),
      (error: Failure) => error.message,
    );

  test('R-04: what does not exist ends the start with its name and a remedy', async () => {
    expect(await refused({ durable: 'absent' })).toBe(
      `consumer "absent" does not exist in stream "${bed.name}": declare it at the broker first, or write create_if_missing = true in the consumer block`,
    );
    expect(await refused({ stream: `${bed.name}_x` })).toBe(
      `stream "${bed.name}_x" does not exist: create it at the server first, or write create_if_missing = true and its \`subjects\` in the consumer block`,
    );
    expect(await refused({ stream: `${bed.name}_x`, create_if_missing: true })).toBe(
      `stream "${bed.name}_x" does not exist: write the \`subjects\` that it has`,
    );
  });

  test('a consumer that does not fit is refused; one that gives messages up by itself is warned of', async () => {
    await bed.manager.consumers.add(bed.name, { durable_name: 'all', ack_policy: 'all' });
    await bed.manager.consumers.add(bed.name, { durable_name: 'push', ack_policy: 'explicit', deliver_subject: 'x' });
    expect(await refused({ durable: 'all' })).toMatch(/not acknowledged one by one/);
    expect(await refused({ durable: 'push' })).toMatch(/pushes messages/);
    await bed.manager.consumers.add(bed.name, {
      durable_name: 'grouped',
      ack_policy: 'explicit',
      priority_groups: ['a'],
      priority_policy: 'overflow',
    } as never);
    const { config } = await bed.manager.consumers.info(bed.name, 'grouped');
    // Servers before 2.11 do not know them.
    if (config.priority_groups !== undefined) expect(await refused({ durable: 'grouped' })).toMatch(/priority groups/);
    await bed.manager.consumers.add(bed.name, { durable_name: 'few', ack_policy: 'explicit', max_deliver: 3 });
    await bed.open(consumer({ durable: 'few' }), { flows: { '': nothing } });
    expect(bed.lines.filter(({ level }) => level === 'warn').map(({ fields }) => fields['max_deliver'])).toEqual([3]);
  });

  test('stream and consumer are created where they are missing, as they are written', async () => {
    const stream = `${bed.name}_made`;
    const subjects = [`${stream}.>`];
    const written = { stream, durable: 'd', create_if_missing: true, subjects, ack_wait: 7_000 };
    await bed.open(consumer({ ...written, filter_subject: `${stream}.eu` }), { flows: { '': nothing } });
    expect((await bed.manager.streams.info(stream)).config.subjects).toEqual(subjects);
    const { config } = await bed.manager.consumers.info(stream, 'd');
    expect(config).toMatchObject({
      ack_policy: 'explicit',
      ack_wait: 7_000_000_000,
      deliver_policy: 'all',
      filter_subject: `${stream}.eu`,
    });
    // What exists is left as it is, whatever is written.
    await bed.open(consumer({ ...written, subjects: ['else'], ack_wait: 9_000 }), { flows: { '': nothing } });
    expect((await bed.manager.streams.info(stream)).config.subjects).toEqual(subjects);
    expect((await bed.manager.consumers.info(stream, 'd')).config).toEqual(config);
  });

  test('`svc check --create-queues` creates them too, and only what is missing', async () => {
    const made = bed.connector(consumer({ durable: 'checked' }));
    made.source.bind([{ ...bed.binding, deliver: () => ({ kind: 'reply', value: null }) }]);
    expect(await made.createSource?.(new AbortController().signal)).toBe('consumer "checked"');
    expect(await made.createSource?.(new AbortController().signal)).toBeUndefined();
    expect((await bed.manager.consumers.info(bed.name, 'checked')).config.ack_policy).toBe('explicit');
  });

  test.each([
    [{}, ['m1', 'm2', 'm3', 'm4']],
    [{ start: 'all' }, ['m1', 'm2', 'm3', 'm4']],
    [{ start: 'new' }, ['m4']],
    [{ start: 'last' }, ['m3', 'm4']],
    [{ start: 'last_per_subject' }, ['m2', 'm3', 'm4']],
    [{ start_sequence: 2 }, ['m2', 'm3', 'm4']],
    [{ start_time: 'that of m3' }, ['m3', 'm4']],
  ])('is where a consumer that is created begins: %j', async (start: Record<string, unknown>, expected) => {
    await bed.publish(['m1'], `${bed.name}.a`);
    await bed.publish(['m2'], `${bed.name}.b`);
    const since = Date.now();
    await until(() => Date.now() > since + 20);
    await bed.publish(['m3'], `${bed.name}.a`);
    const third = await bed.manager.streams.getMessage(bed.name, { seq: 3 });
    const position = 'start_time' in start ? { start_time: third?.time.toISOString() } : start;
    const written = consumer({ durable: 'starting', create_if_missing: true, ...position });
    const { taken, connector } = await bed.open(written, { flows: { '': nothing } });
    await bed.publish(['m4'], `${bed.name}.a`);
    await until(() => taken.length >= expected.length && connector.source.events.unsettled === 0);
    expect(taken.map(([, { body }]) => body)).toEqual(expected);
  });

  test('the stream of dead letters is created with the consumer, must exist otherwise, and is another one', async () => {
    const dlq = { max_retries: 0 };
    const subject = `${bed.name}.dlq`;
    expect(await refused({ dlq })).toBe(
      `the dead letters of stream "${bed.name}" would come back to it: write another \`subject\` in the dlq block`,
    );
    // Nothing is created before that is known.
    const made = { dlq, create_if_missing: true, durable: 'made' };
    const returning = /would come back to it/;
    expect(await refused(made)).toMatch(returning);
    expect((await bed.manager.consumers.list(bed.name).next()).map(({ name }) => name)).not.toContain('made');
    const other = `${bed.name}_new`;
    expect(await refused({ ...made, stream: other, subjects: [`${other}.>`] })).toMatch(returning);
    await expect(bed.manager.streams.info(other)).rejects.toThrow('stream not found');
    const elsewhere = `${bed.name}_elsewhere.dlq`;
    expect(await refused({ dlq: { ...dlq, subject: elsewhere } })).toMatch(
      new RegExp(`no stream keeps the subject "${elsewhere}" of dead letters`),
    );
    await bed.open(consumer({ dlq: { ...dlq, subject: elsewhere }, create_if_missing: true }));
    expect(await bed.manager.streams.find(elsewhere)).toBe(`${bed.name}_elsewhere_dlq`);
    expect(bed.lines.filter(({ level }) => level === 'warn')).toEqual([]);
    await bed.manager.streams.update(`${bed.name}_elsewhere_dlq`, { max_msgs_per_subject: 1 });
    await bed.open(consumer({ dlq: { ...dlq, subject: elsewhere } }));
    expect(
      bed.lines.filter(({ level }) => level === 'warn').map(({ message, fields }) => [message, fields['reason']]),
    ).toEqual([
      [
        'the stream of the dead letters drops some of them',
        'it keeps the last 1 of each subject alone (max_msgs_per_subject)',
      ],
    ]);
    for (const written of [{ external: true }, { enabled: false }])
      await bed.open(consumer({ dlq: { ...dlq, subject, ...written } }));
  });

  test.each([
    [{ retry_count: 2 }, 3],
    [{ dlq: { max_retries: 1, external: true } }, 2],
    [{ dlq: { max_retries: 1, enabled: false } }, 4],
  ])('is how often a message is tried: %j', async (written, tries) => {
    const stream = `${bed.name}2`;
    await bed.manager.streams.add({ name: stream, subjects: [`${stream}.a`] });
    const fail = () => {
      throw new Failure('connector_refused', 'away');
    };
    const place = { stream, durable: 'tries', create_if_missing: true };
    const { taken } = await bed.open(consumer({ ...place, ...written }), { flows: { '': fail } });
    await bed.publish(['bad'], `${stream}.a`);
    await until(() => taken.length >= tries);
    if (tries === 4) return;
    await until(async () => (await bed.manager.consumers.info(stream, 'tries')).num_ack_pending === 0);
    expect(taken).toHaveLength(tries);
  });
});
