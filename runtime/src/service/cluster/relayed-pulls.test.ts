import { describe, expect, test } from 'vitest';
import { RelayedPulls } from './relayed-pulls.ts';

const none = { result: { ok: true, taken: false } };
const one = { result: { ok: true, taken: true } };

describe('a message that one worker of several can take', () => {
  test('each is asked in turn; the one that gave it is asked first for the next', async () => {
    const pulls = new RelayedPulls();
    const asked: (readonly [number, unknown])[] = [];
    const ask = async (turn: number, _: string, params: unknown) => {
      asked.push([turn, params]);
      return asked.length < 3 ? none : one;
    };
    const params = { connector: 'orders', until: 'taken' };
    expect(await pulls.pull(params, 'orders', ask)).toEqual({ result: { ok: true } });
    expect(await pulls.pull(params, 'orders', ask)).toEqual({ result: { ok: true } });
    expect(asked).toEqual([0, 1, 2, 2].map((turn) => [turn, { ...params, within: 250 }]));
  });

  test('the time of the client is kept, and anything but a time is for a worker to refuse', async () => {
    const pulls = new RelayedPulls();
    const asked: unknown[] = [];
    const ask = async (_turn: number, _method: string, params: unknown) => {
      asked.push(params);
      return none;
    };
    expect(await pulls.pull({ connector: 'orders', within: 0 }, 'orders', ask)).toEqual(none);
    const refused = { error: { code: -32602, message: 'no' } as never };
    expect(
      await pulls.pull({ connector: 'orders', within: 'soon' }, 'orders', async (_turn, _method, params) => {
        asked.push(params);
        return refused;
      }),
    ).toEqual(refused);
    expect(asked).toEqual([
      { connector: 'orders', within: 0 },
      { connector: 'orders', within: 'soon' },
    ]);
  });

  test('cancelled while no worker has it, it ends here, and no further one is asked', async () => {
    const pulls = new RelayedPulls();
    const answers: ((answer: typeof none) => void)[] = [];
    const pulled = pulls.pull({ connector: 'orders' }, 'orders', () => new Promise((done) => answers.push(done)));
    expect(pulls.cancel('others')).toEqual([]);
    const [found] = pulls.cancel('orders');
    answers[0]?.(none);
    expect(await pulled).toMatchObject({
      error: { code: -32603, message: 'waiting for a message of "orders" was cancelled: none was taken' },
    });
    expect([found?.isEnded, answers.length, pulls.cancel(undefined)]).toEqual([true, 1, []]);
  });

  test('a client that has gone is answered nothing', async () => {
    expect(await new RelayedPulls().pull({ connector: 'orders' }, 'orders', () => undefined)).toBeUndefined();
  });
});
