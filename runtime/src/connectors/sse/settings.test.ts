import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { until } from '../../../../test/support/until.ts';
import { reply, SseBed } from './testing/bed.ts';

describe('what is written of streams', () => {
  let bed: SseBed;
  beforeEach(() => {
    bed = new SseBed();
  });
  afterEach(() => bed.close());

  test('is the path at which clients connect, and below it those of a room', async () => {
    const connector = await bed.open({}, { path: '/live/' });
    const at = async (path: string) => {
      const answer = await bed.ask(path, {}, '');
      answer.destroy();
      return answer.statusCode;
    };
    expect([await at('/events'), await at('/live/'), await at('/live/north'), await at('/live')]).toEqual([
      404, 200, 200, 404,
    ]);
    await bed.push(connector, {}, { payload: {} });
  });

  test('is how long clients wait before they come again', async () => {
    await bed.open({}, { retry: 7000 });
    expect((await bed.connect()).text).toBe('retry: 7000\n\n');
  });

  test('is how many flows run at a time of those that are asked for streams', async () => {
    let release = () => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    const asked: unknown[] = [];
    await bed.open(
      {
        join_room: async ({ input }) => {
          asked.push(input['room']);
          await held;
          return reply;
        },
      },
      { workers: 2 },
    );
    const streams = ['a', 'b', 'c'].map((room) => bed.connect(`/${room}`));
    await until(() => asked.length === 2);
    // One that needs no flow does not wait for those.
    await bed.connect();
    expect(asked).toHaveLength(2);
    release();
    await Promise.all(streams);
    expect(asked.toSorted()).toEqual(['a', 'b', 'c']);
  });

  test.each([true, false])(
    'is whether pages of other origins may send their cookies: %s',
    async (allow_credentials) => {
      const origin = 'https://board.example.com';
      await bed.open({}, { cors: { origins: [origin], allow_credentials } });
      const answer = await bed.ask('', { origin });
      answer.destroy();
      expect(answer.headers['access-control-allow-credentials']).toBe(allow_credentials ? 'true' : undefined);
    },
  );
});
