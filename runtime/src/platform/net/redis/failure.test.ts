import { describe, expect, test } from 'vitest';
import { storeFailure, wasNotDone } from './failure.ts';

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

  test.each<[string, string, boolean]>([
    ['Error', "Stream isn't writeable and enableOfflineQueue options is false", true],
    ['Error', 'Too many Cluster redirections. Last error: ReplyError: MOVED 1 127.0.0.1:7', true],
    ['ReplyError', "READONLY You can't write against a read only replica.", true],
    ['ReplyError', 'CLUSTERDOWN The cluster is down', true],
    ['Error', 'Command timed out', false],
    ['MaxRetriesPerRequestError', 'Reached the max retries per request limit (which is 0).', false],
    ['Error', 'read ECONNRESET', false],
  ])('of a command says whether it was certainly not carried out: %s: %s', (name, message, expected) => {
    expect(wasNotDone(storeFailure(Object.assign(new Error(message), { name })))).toBe(expected);
  });
});
