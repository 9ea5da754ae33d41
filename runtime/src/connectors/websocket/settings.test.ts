import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { until } from '../../../../test/support/until.ts';
import { reply, type TestClient, WebSocketBed } from './testing/bed.ts';

describe('what is written of a server of clients', () => {
  let bed: WebSocketBed;
  beforeEach(() => {
    bed = new WebSocketBed();
  });
  afterEach(() => bed.close());

  test('is the path at which they connect', async () => {
    await bed.open({}, { path: '/live' });
    await expect(bed.connect()).rejects.toThrow('404');
    await (await bed.connect('', {}, '/live')).join('north');
  });

  /** What is left at a client that sent much, when no more of it is read while the flow of its first message runs. */
  async function unread(settings: Record<string, unknown>): Promise<number> {
    let proceed: (() => void) | undefined;
    const held = new Promise<typeof reply>((resolve) => (proceed = () => resolve(reply)));
    let begun = 0;
    await bed.open({ message: () => (begun++ === 0 ? held : reply) }, settings);
    const client: TestClient = await bed.connect();
    const text = 'x'.repeat(200 * 1024);
    for (let n = 0; n < 120; n++) client.send({ type: 'message', data: { n, text } });
    await until(() => begun === 1);
    let last = -1;
    let equal = 0;
    await until(() => {
      const { bufferedAmount } = client.socket;
      equal = bufferedAmount === last ? equal + 1 : 0;
      last = bufferedAmount;
      return last === 0 || equal > 50;
    });
    proceed?.();
    return last;
  }

  test.each([
    ['max_waiting', 4, { max_backlog: 64 * 1024 * 1024 }],
    ['max_backlog', 1_000_000, { max_waiting: 1000 }],
  ])('is how much waits for its turn before no more is read: %s', async (name, few, others) => {
    expect(await unread({ ...others, [name]: few })).toBeGreaterThan(0);
  });

  test('is what everything waits in where it has room', async () => {
    expect(await unread({ max_waiting: 1000, max_backlog: 64 * 1024 * 1024 })).toBe(0);
  });
});
