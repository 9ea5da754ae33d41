import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { until } from '../../../../../test/support/until.ts';
import { type Handler, NatsBed, natsUrl } from './testing/bed.ts';

const nothing: Handler = () => undefined;

describe.skipIf(natsUrl === undefined)('messages of a stream that can never be handled', () => {
  let bed: NatsBed;
  beforeEach(async () => {
    bed = await NatsBed.ofStream();
    await bed.manager.streams.add({ name: `${bed.name}_dead`, subjects: [`${bed.name}_dead`] });
  });
  afterEach(() => bed.close());

  const consumer = (dlq: boolean) => ({ ...bed.consumer, ...(dlq && { dlq: { subject: `${bed.name}_dead` } }) });
  /** Sends what the client library would not. */
  const publishRaw = async (headers: string, body: string) => {
    const { hostname, port } = new URL(natsUrl as string);
    const socket = connect(Number(port), hostname);
    const block = `NATS/1.0\r\n${headers}\r\n\r\n`;
    socket.write('CONNECT {"verbose":false,"headers":true}\r\n');
    socket.write(`HPUB ${bed.subject} ${block.length} ${block.length + body.length}\r\n${block}${body}\r\nPING\r\n`);
    while (!String((await once(socket, 'data'))[0]).includes('PONG'));
    socket.destroy();
  };
  const warnings = () =>
    bed.lines.filter(({ level }) => level === 'warn').map(({ message, fields }) => [message, fields['error']]);
  const letters = async () => {
    const { state } = await bed.manager.streams.info(`${bed.name}_dead`);
    return state.messages;
  };
  const unsettled = async () => {
    const { num_ack_pending, num_pending } = await bed.manager.consumers.info(bed.name, 'taking');
    return num_ack_pending + num_pending;
  };
  const kept = 'message rejected: another try would fail as well';
  const dropped = 'message dropped: another try would fail as well, and there is no dead-letter path';

  test.each([
    [true, kept],
    [false, dropped],
  ])(
    'one that is too large, with dead letters: %s; later ones are handled over the same connection',
    async (dlq, line) => {
      const { taken } = await bed.open({ max_message: 2_000, consumer: consumer(dlq) }, { flows: { '': nothing } });
      await bed.publish(['x'.repeat(300_000)], bed.subject, { tenant: 'nord' });
      await bed.publish(['after']);
      await until(async () => taken.length === 1 && (await unsettled()) === 0);
      expect(taken.map(([, { body }]) => body)).toEqual(['after']);
      expect(warnings()).toEqual([
        [line, expect.stringMatching(/^the message has 3000\d\d bytes, more than 2000 \(max_message\)$/)],
      ]);
      if (!dlq) return;
      const letter = await bed.manager.streams.getMessage(`${bed.name}_dead`, { seq: 1 });
      expect([letter?.string(), letter?.header.get('tenant'), letter?.header.get('x-svc-sequence')]).toEqual([
        'x'.repeat(300_000),
        'nord',
        '1',
      ]);
    },
  );

  test.each([
    [true, kept],
    [false, dropped],
  ])('one with a header that the client library refuses, with dead letters: %s', async (dlq, line) => {
    const { taken } = await bed.open({ consumer: consumer(dlq) }, { flows: { '': nothing } });
    await bed.publish(['before']);
    await publishRaw('tenant: nord\r\nbad name: 7', 'whole');
    await publishRaw('bad name: 8', '');
    await bed.publish(['after']);
    await until(async () => taken.length === 2 && (await unsettled()) === 0);
    expect(taken.map(([, { body }]) => body)).toEqual(['before', 'after']);
    const why = (sequence: number) =>
      expect.stringMatching(new RegExp(`^message ${sequence} of stream "${bed.name}": its headers cannot be read: `));
    expect(warnings()).toEqual([
      [line, why(2)],
      [line, why(3)],
    ]);
    if (!dlq) return;
    await until(async () => (await letters()) === 2);
    const letter = await bed.manager.streams.getMessage(`${bed.name}_dead`, { seq: 1 });
    expect([letter?.string(), letter?.header.get('tenant'), letter?.header.get('x-svc-unsent-headers')]).toEqual([
      'whole',
      'nord',
      '{"bad name":"7"}',
    ]);
  });

  test.each([
    ['max_expires', { max_expires: 1_000_000_000 }],
    ['max_expires of a moment', { max_expires: 5_000_000 }],
    ['max_batch', { max_batch: 1 }],
    ['max_bytes', { max_bytes: 100 }],
  ])('a consumer with %s is asked within its limits', async (_, limits) => {
    await bed.manager.consumers.add(bed.name, { durable_name: 'limited', ack_policy: 'explicit', ...limits });
    const { taken } = await bed.open({ consumer: { ...bed.consumer, durable: 'limited' } }, { flows: { '': nothing } });
    await bed.publish(['a', 'b', 'c']);
    await until(() => taken.length === 3);
    expect(bed.lines.filter(({ level }) => level === 'warn')).toEqual([]);
  });

  test('a consumer that is limited later is asked within its new limits', async () => {
    const durable = { durable_name: 'changed', ack_policy: 'explicit' } as const;
    await bed.manager.consumers.add(bed.name, durable);
    const { taken } = await bed.open({ consumer: { ...bed.consumer, durable: 'changed' } }, { flows: { '': nothing } });
    await bed.publish(['a']);
    await until(() => taken.length === 1);
    await bed.manager.consumers.update(bed.name, 'changed', { max_expires: 1_000_000_000 });
    await until(async () => {
      await bed.publish(['b']);
      return taken.length > 10;
    });
  });

  test('one with such a header is pulled like another one, and shown', async () => {
    const opened = await bed.open({ consumer: consumer(false) }, { flows: { '': nothing } });
    opened.connector.source.events.admit('demand');
    await publishRaw('bad name: 7', '');
    await publishRaw('bad name: 8', 'b');
    const desk = await opened.connector.openDesk?.({ operations: [], signal: new AbortController().signal });
    const shown = await desk?.peek('waiting', 10, async () => true);
    expect(shown?.map(({ headers, content }) => [{ ...headers }, content.toString()])).toEqual([
      [{ 'bad name': '7' }, ''],
      [{ 'bad name': '8' }, 'b'],
    ]);
    await desk?.close();
    for (const _ of [1, 2]) await (await opened.connector.source.events.pull?.(new AbortController().signal))?.settled;
    await until(async () => (await unsettled()) === 0);
    expect(warnings()).toHaveLength(2);
  });
});
