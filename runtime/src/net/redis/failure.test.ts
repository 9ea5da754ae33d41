import { describe, expect, test } from 'vitest';
import { storeFailure } from './failure.ts';

describe('the failure of a store', () => {
  test.each(["Stream isn't writeable and enableOfflineQueue options is false", 'Connection is closed.'])(
    'says plainly that there is no connection: %s',
    (message) => {
      const failure = storeFailure(new Error(message));
      expect(failure.code).toBe('store_unavailable');
      expect(failure.message).toBe('the store cannot be reached: there is no connection to its server');
    },
  );

  test('keeps what the server said', () => {
    const reply = Object.assign(new Error('WRONGTYPE Operation against a key'), { name: 'ReplyError' });
    expect(storeFailure(reply)).toMatchObject({ code: 'connector_failed', message: reply.message });
    const loading = Object.assign(new Error('LOADING Redis is loading'), { name: 'ReplyError' });
    expect(storeFailure(loading)).toMatchObject({ code: 'store_unavailable' });
  });
});
