import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { until } from '../../../../test/support/until.ts';
import { checkEvent, pushes } from './spec.ts';
import { reply, type TestClient, WebSocketBed } from './testing/bed.ts';

/** Credentials of a user, as a header. */
const as = (user: string) => ({ headers: { authorization: `Basic ${btoa(`${user}:pw-${user}`)}` } });
const auth = { type: 'basic', users: { ada: 'pw-ada', bob: 'pw-bob', 42: 'pw-42' } };

describe('what flows send', () => {
  let bed: WebSocketBed;
  beforeEach(() => {
    bed = new WebSocketBed();
  });
  afterEach(() => bed.close());

  /** The numbers that each client has received, once the last frame of all came. */
  async function received(push: () => Promise<unknown>, clients: readonly TestClient[]): Promise<unknown[][]> {
    await push();
    await until(() => clients.every(({ frames }) => JSON.stringify(frames.at(-1))?.includes('"last"')));
    return clients.map(({ frames }) => frames.slice(0, -1));
  }

  test('to all, to a room, to every connection of a user; a room or a user without clients is not a failure', async () => {
    const connector = await bed.open({}, { auth });
    const ada = await bed.connect('', as('ada'));
    const adaToo = await bed.connect('', as('ada'));
    const bob = await bed.connect('', as('bob'));
    await ada.join('north');
    await bob.join('north');
    await bob.join('5');
    const payload = (n: number) => ({ payload: { n } });
    const frames = await received(async () => {
      const answers = [
        await bed.push(connector, {}, payload(1)),
        await bed.push(connector, { operation: 'broadcast' }, payload(2)),
        await bed.push(connector, { operation: 'send_to_room' }, { ...payload(3), target: 'north' }),
        await bed.push(connector, { operation: 'send_to_room', target: '5' }, payload(4)),
        await bed.push(connector, { operation: 'room:north' }, payload(5)),
        await bed.push(connector, { operation: 'send_to_room', target: 'unknown' }, payload(6)),
        await bed.push(connector, { operation: 'send_to_user', target: 'ada' }, payload(7)),
        await bed.push(connector, { operation: 'send_to_user' }, { payload: { user_id: 'bob' } }),
        await bed.push(connector, { operation: 'send_to_user' }, { payload: { user_id: 42n } }),
        await bed.push(connector, { operation: 'send_to_user', target: 'unknown' }, payload(8)),
      ];
      expect(answers).toEqual(answers.map(() => ({ affected: 1 })));
      await bed.push(connector, {}, { payload: { n: 'last' } });
    }, [ada, adaToo, bob]);
    const data = (n: number, room?: string) => ({ type: 'message', data: { n }, ...(room && { room }) });
    expect(frames).toEqual([
      [data(1), data(2), data(3, 'north'), data(5, 'north'), data(7)],
      [data(1), data(2), data(7)],
      [
        data(1),
        data(2),
        data(3, 'north'),
        data(4, '5'),
        data(5, 'north'),
        { type: 'message', data: { user_id: 'bob' } },
      ],
    ]);
  });

  test('who left a room, or is gone, hears nothing of it', async () => {
    const connector = await bed.open({});
    const [first, second] = [await bed.connect(), await bed.connect()];
    await first.join('north');
    await second.join('north');
    second.send({ type: 'leave_room', room: 'north' });
    await second.join('south');
    const frames = await received(async () => {
      await bed.push(connector, { operation: 'room:north' }, { payload: { n: 1 } });
      await bed.push(connector, {}, { payload: { n: 'last' } });
    }, [first, second]);
    expect(frames).toEqual([[{ type: 'message', data: { n: 1 }, room: 'north' }], []]);
  });

  test.each([
    ['send_to_room', 'send_to_room needs a room: write `target`'],
    ['send_to_user', 'send_to_user needs a user: write `target`, or give the payload a `user_id`'],
  ])('%s without an addressee fails, and goes to no client', async (operation, message) => {
    const connector = await bed.open({});
    const client = await bed.connect();
    await expect(bed.push(connector, { operation }, { payload: {} })).rejects.toThrow(message);
    await client.join('x');
    expect(client.frames).toEqual([]);
  });

  test('A-01: two tenants: a flow of join_room decides who is in whose room, and user names of one are not those of the other', async () => {
    const connector = await bed.open(
      {
        join_room: ({ auth: { user_id }, input }) =>
          input['room'] === `of-${user_id}`
            ? reply
            : { kind: 'drop', reason: 'accept', policy: 'ack', expression: 'x', messageId: '' },
      },
      { auth },
    );
    const ada = await bed.connect('', as('ada'));
    // What a client calls itself is not an identity.
    const bob = await bed.connect('?user_id=ada', as('bob'));
    ada.send({ type: 'join_room', room: 'of-ada' }, 'x');
    bob.send({ type: 'join_room', room: 'of-ada' }, { type: 'message', data: { user_id: 'ada' } }, 'x');
    await until(() => ada.frames.length === 1 && bob.frames.length === 2);
    expect(bob.frames[0]).toEqual({ type: 'error', message: 'join_room was refused', code: 'permission_denied' });
    ada.frames.length = bob.frames.length = 0;
    const frames = await received(async () => {
      await bed.push(connector, { operation: 'room:of-ada' }, { payload: { n: 1 } });
      await bed.push(connector, { operation: 'send_to_user', target: 'ada' }, { payload: { n: 2 } });
      await bed.push(connector, {}, { payload: { n: 'last' } });
    }, [ada, bob]);
    expect(frames[1]).toEqual([]);
    expect(frames[0]?.length).toBe(2);
  });

  test('S-69: without credentials no client has an identity, whatever the address says', async () => {
    const inputs: unknown[] = [];
    const connector = await bed.open({
      message: ({ input, auth: caller }) => {
        inputs.push([input['user_id'], caller.user_id, caller.authenticated]);
        return reply;
      },
    });
    const client = await bed.connect('?user_id=ada');
    client.send({ type: 'message', data: { user_id: 'ada' } });
    await until(() => inputs.length === 1);
    expect(inputs).toEqual([[undefined, '', false]]);
    await bed.push(connector, { operation: 'send_to_user', target: 'ada' }, { payload: {} });
    await client.join('x');
    expect(client.frames).toEqual([]);
  });

  test('a client may be in a hundred rooms', async () => {
    await bed.open({});
    const client = await bed.connect();
    for (let room = 0; room <= 100; room++) client.send({ type: 'join_room', room });
    client.send({ type: 'join_room', room: 5 }, 'x');
    await until(() => client.frames.length === 2);
    expect(client.frames[0]).toEqual({ type: 'error', message: 'a client may be in 100 rooms', code: 'value_refused' });
  });
});

test('operations of destinations and names of events', () => {
  expect(['broadcast', 'send_to_room', 'send_to_user', 'room:a b', ''].map(pushes.check)).toEqual(
    new Array(5).fill(undefined),
  );
  expect(['send_to_rooom', 'room:', 'INSERT'].map((operation) => pushes.check(operation) !== undefined)).toEqual([
    true,
    true,
    true,
  ]);
  expect(['connect', 'draw', '*', 'join_room'].map(checkEvent)).toEqual(new Array(4).fill(undefined));
  expect(['a b', 'dra*', '#', '', 'leave_room'].map((operation) => checkEvent(operation) !== undefined)).toEqual(
    new Array(5).fill(true),
  );
});
