import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { until } from '../../../../test/support/until.ts';
import type { Message } from '../../foundation/contracts/message.ts';
import { Failure } from '../../foundation/errors/failure.ts';
import { type Flows, reply, SseBed } from './testing/bed.ts';

const users = { ada: 'kept:secret', ben: 'other:secret' };
const as = (user: keyof typeof users) => ({ authorization: `Basic ${btoa(`${user}:${users[user]}`)}` });
const auth = { type: 'basic', users };

describe('streams of events', () => {
  let bed: SseBed;
  beforeEach(() => {
    bed = new SseBed();
  });
  afterEach(() => bed.close());

  /** Flows that keep what they are given. */
  function keeping(...operations: readonly string[]) {
    const inputs: Message['input'][] = [];
    const keep = ({ input }: Message) => {
      inputs.push({ ...input });
      return reply;
    };
    return { inputs, flows: Object.fromEntries(operations.map((each) => [each, keep])) as Flows };
  }

  test('a stream begins at once, and carries every event as one line of JSON with a place of its own', async () => {
    const connector = await bed.open();
    const stream = await bed.connect();
    const { headers } = stream.answer;
    expect(headers).toMatchObject({
      'content-type': 'text/event-stream',
      'cache-control': 'no-cache',
      connection: 'keep-alive',
      'x-accel-buffering': 'no',
      'x-content-type-options': 'nosniff',
    });
    expect(await bed.push(connector, {}, { payload: { text: 'one\ntwo\u2028', n: 1n } })).toEqual({ affected: 1 });
    await bed.push(connector, { operation: 'broadcast' }, { payload: {} });
    await until(() => stream.events.length === 2);
    const [first, second] = stream.events;
    expect(stream.text).toBe(
      `retry: 1000\n\nid: ${first?.id}\nevent: message\ndata: {"text":"one\\ntwo\u2028","n":1}\n\nid: ${second?.id}\nevent: message\ndata: {}\n\n`,
    );
    expect(first?.id).toMatch(/^\d+-\d+$/);
    expect(second?.id).not.toBe(first?.id);
  });

  test('a room reaches those who named it in the query or the path, each once, whatever else they are in', async () => {
    const connector = await bed.open();
    const [one, several, path, other] = [
      await bed.connect('?room=north'),
      await bed.connect('?rooms=south,north&room=north'),
      await bed.connect('/north?rooms=east'),
      await bed.connect('?room=West'),
    ];
    await bed.push(connector, { operation: 'send_to_room', target: 'north' }, { payload: { n: 1 } });
    await bed.push(connector, { operation: 'stream:east' }, { payload: { n: 2 } });
    await bed.push(connector, { operation: 'send_to_room' }, { target: 'west', payload: { n: 3 } });
    await bed.push(connector, {}, { payload: { n: 4 } });
    for (const stream of [one, several, path, other]) await until(() => stream.data.at(-1) !== undefined);
    await until(() => [one, several, path, other].every(({ data }) => (data.at(-1) as { n: number }).n === 4));
    expect([one.data, several.data, path.data, other.data]).toEqual([
      [{ n: 1 }, { n: 4 }],
      [{ n: 1 }, { n: 4 }],
      [{ n: 1 }, { n: 2 }, { n: 4 }],
      [{ n: 4 }],
    ]);
    await expect(bed.push(connector, { operation: 'send_to_room' }, { payload: {} })).rejects.toThrow(
      'send_to_room needs a room',
    );
  });

  test('S-69: a user is whom the credentials name; `user_id` of the query is not one', async () => {
    const connector = await bed.open({}, { auth });
    const [ada, again, ben] = [
      await bed.connect('', as('ada')),
      await bed.connect('', as('ada')),
      await bed.connect('?user_id=ada', as('ben')),
    ];
    await bed.push(connector, { operation: 'send_to_user', target: 'ada' }, { payload: { n: 1 } });
    await bed.push(connector, { operation: 'send_to_user' }, { payload: { n: 2, user_id: 'ada' } });
    await bed.push(connector, { operation: 'send_to_user' }, { target: 'ben', payload: { n: 3 } });
    await until(() => ada.data.length === 2 && again.data.length === 2 && ben.data.length === 1);
    expect([ada.data, again.data, ben.data]).toEqual([
      [{ n: 1 }, { n: 2, user_id: 'ada' }],
      [{ n: 1 }, { n: 2, user_id: 'ada' }],
      [{ n: 3 }],
    ]);
    await expect(bed.connect('?user_id=ada')).rejects.toThrow('401');
  });

  test('a filter is asked for each client, and one that fails is no', async () => {
    const connector = await bed.open({}, { auth });
    const [north, south] = [
      await bed.connect('?region=north&api_key=x', as('ada')),
      await bed.connect('?region=south', as('ben')),
    ];
    const seen: unknown[] = [];
    const filter = {
      source: 'region',
      evaluate: (variables: Readonly<Record<string, unknown>>) => {
        seen.push(structuredClone(variables));
        const { input, context } = variables as { input: { region: string }; context: { params: { region: string } } };
        if (context.params.region === 'south') throw new Error('no such key');
        return input.region === context.params.region;
      },
    };
    await bed.push(connector, { deferred: { filter } }, { payload: { region: 'north' } });
    await bed.push(connector, {}, { payload: { last: true } });
    await until(() => south.data.length === 1 && north.data.length === 2);
    expect([north.data, south.data]).toEqual([[{ region: 'north' }, { last: true }], [{ last: true }]]);
    const params = { region: 'north', api_key: 'x' };
    expect(seen[0]).toMatchObject({
      input: { region: 'north' },
      context: { connection_params: params, params, auth: { user_id: 'ada', authenticated: true } },
    });
    expect(bed.lines.map(({ message, fields }) => [message, fields['error']])).toEqual([
      ['a filter failed, and its client did not receive what was sent', 'no such key'],
    ]);
  });

  test('flows are given who connects and who is gone, in order, and cannot be misled about it', async () => {
    const { inputs, flows } = keeping('connect', 'disconnect');
    await bed.open(flows, { auth });
    const stream = await bed.connect('?city=Rome&user_id=ben&client_id=x&event=y', as('ada'));
    await until(() => inputs.length === 1);
    stream.close();
    await until(() => inputs.length === 2);
    const who = { client_id: 'sse_1', user_id: 'ada', city: 'Rome' };
    expect(inputs).toEqual([
      { ...who, event: 'connect', remote_addr: expect.stringMatching(/^127\.0\.0\.1:\d+$/) },
      { ...who, event: 'disconnect' },
    ]);
  });

  test('a flow decides who may be in a room: one refused room refuses the stream, before it begins', async () => {
    const asked: unknown[] = [];
    await bed.open(
      {
        join_room: ({ input, auth: { user_id } }) => {
          asked.push([user_id, input['room'], input['event']]);
          return input['room'] === `of-${user_id}`
            ? reply
            : { kind: 'drop', reason: 'accept', policy: 'ack', expression: 'false', messageId: '' };
        },
      },
      { auth },
    );
    await bed.connect('', as('ada'));
    await bed.connect('?room=of-ada', as('ada'));
    await expect(bed.connect('?rooms=of-ada,of-ben', as('ada'))).rejects.toThrow('403');
    await expect(bed.connect('/of-ada', as('ben'))).rejects.toThrow('403');
    expect(asked).toEqual([
      ['ada', 'of-ada', 'join_room'],
      ['ada', 'of-ada', 'join_room'],
      ['ada', 'of-ben', 'join_room'],
      ['ben', 'of-ada', 'join_room'],
    ]);
  });

  test('S-11: a flow that fails refuses the stream: in full in development, with nothing of it in production', async () => {
    const failing: Flows = {
      join_room: () => {
        throw new Failure('connector_failed', 'SELECT secret FROM t: host db.internal is gone');
      },
    };
    const refusal = async (production: boolean) => {
      await bed.open(failing, { cors: { origins: ['*'] } }, { production });
      const answer = await bed.ask('?room=a');
      let body = '';
      for await (const piece of answer.setEncoding('utf8')) body += piece;
      return { status: answer.statusCode, body };
    };
    const [inFull, disclosed] = [await refusal(false), await refusal(true)];
    expect([inFull.status, disclosed.status]).toEqual([500, 500]);
    expect(inFull.body).toContain('host db.internal is gone');
    expect(disclosed.body).not.toMatch(/SELECT|db\.internal|connector|\/|at /);
    expect(JSON.stringify(bed.lines)).toContain('host db.internal is gone');
  });

  test('every stream carries a comment in each interval, and none when that is 0', async () => {
    await bed.open({}, { heartbeat_interval: 20 });
    const beating = await bed.connect();
    await until(() => beating.text.split(': keepalive\n\n').length > 3);
    const silent = new SseBed();
    const connector = await silent.open({}, { heartbeat_interval: 0 });
    const stream = await silent.connect();
    await until(() => beating.text.split(': keepalive\n\n').length > 6);
    await silent.push(connector, {}, { payload: {} });
    await until(() => stream.events.length === 1);
    expect(stream.text).not.toContain('keepalive');
    await silent.close();
  });

  test('R-84: who is connected when the service stops is notified when to come again, and not all at one time', async () => {
    const connector = await bed.open({}, { retry: 2000 });
    const streams = await Promise.all(Array.from({ length: 20 }, () => bed.connect()));
    await connector.close();
    await until(() => streams.every(({ isOver }) => isOver));
    const times = streams.map(({ text }) => text.split('\n\n').filter((line) => line.startsWith('retry: ')));
    expect(times.every(([first]) => first === 'retry: 2000')).toBe(true);
    const later = times.map(([, last]) => Number(last?.slice(7)));
    expect(later.every((each) => each >= 2000 && each <= 4000) && new Set(later).size > 1).toBe(true);
    expect(streams.every(({ answer }) => answer.complete)).toBe(true);
  });
});
