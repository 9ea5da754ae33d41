import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { until } from '../../../../test/support/until.ts';
import type { Message } from '../../foundation/contracts/message.ts';
import type { Outcome } from '../../foundation/contracts/outcome.ts';
import { Failure } from '../../foundation/errors/failure.ts';
import { reply, WebSocketBed } from './testing/bed.ts';

describe('what clients send', () => {
  let bed: WebSocketBed;
  beforeEach(() => {
    bed = new WebSocketBed();
  });
  afterEach(() => bed.close());

  const keeping =
    (taken: Record<string, unknown>[], outcome: Outcome = reply) =>
    ({ input }: Message) => {
      taken.push(input);
      return outcome;
    };

  test('connect, message, a type of their own and disconnect come in order, each with its fields', async () => {
    const taken: Record<string, unknown>[] = [];
    await bed.open({ '*': keeping(taken) });
    const client = await bed.connect('?board=7&event=forged&user_id=ada');
    client.send(
      { type: 'message', data: { text: 'hi', event: 'forged', user_id: 'ada', headers: {} } },
      { type: 'message', data: 5 },
      { type: 'draw', data: [1], room: 'north' },
      { type: 'draw' },
    );
    client.socket.close();
    await until(() => taken.length === 6);
    const remote_addr = expect.stringMatching(/^127\.0\.0\.1:\d+$/);
    expect(taken.map((input) => ({ ...input }))).toEqual([
      { event: 'connect', board: '7', remote_addr },
      { event: 'message', board: '7', text: 'hi' },
      { event: 'message', board: '7', data: 5 },
      { event: 'draw', board: '7', data: [1], room: 'north' },
      { event: 'draw', board: '7', data: null, room: '' },
      { event: 'disconnect', board: '7' },
    ]);
  });

  test('the answer of a message is sent back; null, a type of their own and what a gate turned away are not', async () => {
    const drop = { kind: 'drop', reason: 'filter', policy: 'ack', expression: 'x', messageId: '' } as const;
    await bed.open({
      message: ({ input }) => (input['drop'] === true ? drop : { kind: 'reply', value: input['value'] ?? null }),
      draw: () => ({ kind: 'reply', value: 'unheard' }),
    });
    const client = await bed.connect();
    client.send(
      { type: 'message', data: {} },
      { type: 'message', data: { drop: true } },
      { type: 'draw', data: {} },
      { type: 'message', data: { value: { n: 1 } } },
    );
    await until(() => client.frames.length > 0);
    expect(client.frames).toEqual([{ type: 'message', data: { n: 1 } }]);
  });

  test.each([
    ['empty', '', 'invalid message format', 'body_undecodable'],
    ['cut off', '{"type":', 'invalid message format', 'body_undecodable'],
    ['a list', '[]', 'invalid message format', 'body_undecodable'],
    ['without a type', '{}', 'invalid message format', 'body_undecodable'],
    ['with a type that is not a text', '{"type":5}', 'invalid message format', 'body_undecodable'],
    ['of a type that no flow takes', '{"type":"draw"}', 'unknown message type: draw', 'value_refused'],
    ['of an event that is not theirs: connect', '{"type":"connect"}', 'unknown message type: connect', 'value_refused'],
    [
      'of an event that is not theirs: disconnect',
      '{"type":"disconnect"}',
      'unknown message type: disconnect',
      'value_refused',
    ],
    ['without a room', '{"type":"join_room"}', 'join_room needs a room of at most 256 characters', 'value_refused'],
    ['of a long type', `{"type":"${'x'.repeat(1000)}"}`, `unknown message type: ${'x'.repeat(256)}`, 'value_refused'],
  ])('A-04: a frame, %s, is answered with an error, and the next one is taken', async (_, frame, message, code) => {
    const taken: Record<string, unknown>[] = [];
    await bed.open({ message: keeping(taken), connect: keeping([]) });
    const client = await bed.connect();
    client.send(frame, { type: 'message', data: { ok: true } });
    await until(() => taken.length === 1 && client.frames.length > 0);
    expect(client.frames).toEqual([{ type: 'error', message, code }]);
    expect(bed.lines.filter(({ level }) => level === 'error')).toEqual([]);
  });

  test('S-11: a failure is shown in full in development; in production only what the message itself caused', async () => {
    const flows = {
      message: ({ input }: Message): Outcome => {
        if (input['bad'] === true) throw new Failure('input_invalid', 'text is required');
        throw new Failure('connector_failed', 'SELECT secret FROM t: host db.internal is gone');
      },
    };
    const shown = async (production: boolean) => {
      await bed.open(flows, { cors: { origins: ['*'] } }, { production });
      const client = await bed.connect();
      client.send({ type: 'message', data: { bad: true } }, { type: 'message', data: {} });
      await until(() => client.frames.length === 2);
      return client.frames;
    };
    const ofClient = { type: 'error', message: 'text is required', code: 'input_invalid' };
    const inFull = { message: 'SELECT secret FROM t: host db.internal is gone', code: 'connector_failed' };
    expect(await shown(false)).toEqual([ofClient, { type: 'error', ...inFull }]);
    const [open, hidden] = await shown(true);
    expect(open).toEqual(ofClient);
    const { request_id: id } = hidden as { readonly request_id: unknown };
    expect(hidden).toEqual({ type: 'error', message: 'Internal Server Error', request_id: expect.any(String) });
    expect(bed.lines.findLast(({ level }) => level === 'error')?.fields).toMatchObject({ request_id: id });
    expect(bed.lines.filter(({ level }) => level === 'error').map(({ message }) => message)).toEqual([
      'message failed',
      'message failed',
    ]);
  });

  test('R-77: messages of one client are handled one after another, those of others beside them', async () => {
    const begun: unknown[] = [];
    const ends: (() => void)[] = [];
    await bed.open({
      message: ({ input }) => {
        begun.push(input['n']);
        return new Promise((resolve) => ends.push(() => resolve({ kind: 'reply', value: input['n'] })));
      },
    });
    const [first, second] = [await bed.connect(), await bed.connect()];
    first.send({ type: 'message', data: { n: 1 } }, { type: 'message', data: { n: 2 } });
    await until(() => begun.length === 1);
    second.send({ type: 'message', data: { n: 3 } });
    await until(() => begun.length === 2);
    expect(begun).toEqual([1, 3]);
    ends[0]?.();
    await until(() => begun.length === 3);
    for (const end of ends) end();
    await until(() => first.frames.length === 2 && second.frames.length === 1);
    expect(first.frames).toEqual([
      { type: 'message', data: 1 },
      { type: 'message', data: 2 },
    ]);
  });

  test('A-03: as many hung flows as workers hold the others back, and the service continues when they end', async () => {
    const ends: (() => void)[] = [];
    const connector = await bed.open(
      { message: () => new Promise((resolve) => ends.push(() => resolve({ kind: 'reply', value: 'done' }))) },
      { workers: 2 },
    );
    const clients = await Promise.all([1, 2, 3].map(() => bed.connect()));
    for (const client of clients) client.send({ type: 'message', data: {} });
    await until(() => ends.length === 2);
    expect(connector.source.events.unsettled).toBe(2);
    // Rooms and broadcasts need no worker.
    await bed.push(connector, {}, { payload: { n: 1 } });
    await until(() => clients.every(({ frames }) => frames.length === 1));
    ends[0]?.();
    await until(() => ends.length === 3);
    for (const end of ends) end();
    await until(() => clients.every(({ frames }) => frames.length === 2));
  });

  test('several flows of one event run beside each other; the first answer is sent', async () => {
    const taken: unknown[] = [];
    const connector = bed.connector();
    const flow = (name: string, value: unknown) => ({
      flow: name,
      operation: 'message',
      words: {},
      deliver: ({ input }: Message): Outcome => {
        taken.push([name, (input['list'] as unknown[]).push(name)]);
        return { kind: 'reply', value };
      },
    });
    const bound = connector.source.bind([flow('a', 'first'), flow('b', 'second')]);
    await connector.open(new AbortController().signal);
    bound.use();
    await bed.serve(bound);
    await connector.source.start();
    const client = await bed.connect();
    client.send({ type: 'message', data: { list: [] } });
    await until(() => client.frames.length === 1);
    expect(client.frames).toEqual([{ type: 'message', data: 'first' }]);
    expect(taken).toEqual([
      ['a', 1],
      ['b', 1],
    ]);
  });

  test('A-14: while a debugger sets its breakpoints nothing is handled, then one message at a time', async () => {
    const begun: unknown[] = [];
    const ends: (() => void)[] = [];
    const connector = await bed.open({
      message: ({ input }) => {
        begun.push(input['n']);
        return new Promise((resolve) => ends.push(() => resolve(reply)));
      },
    });
    expect(connector.source.events.type).toBe('websocket');
    expect(connector.source.events.name).toBe('live');
    expect(connector.source.events.pull).toBeUndefined();
    connector.source.events.admit('demand');
    const clients = await Promise.all([1, 2].map(() => bed.connect()));
    for (const [n, client] of clients.entries()) client.send({ type: 'message', data: { n } });
    await (await bed.connect()).join('north');
    expect(begun).toEqual([]);
    connector.source.events.admit('single');
    await until(() => begun.length === 1);
    expect(connector.source.events.unsettled).toBe(1);
    ends[0]?.();
    await until(() => begun.length === 2);
    ends[1]?.();
    await until(() => connector.source.events.unsettled === 0);
  });
});
