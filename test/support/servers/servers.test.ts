import { existsSync } from 'node:fs';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { Unobtainable } from './brought/step.ts';
import { bringUp, type Server, servers } from './index.ts';

/** Milliseconds for a server whose program is fetched and built first. */
const firstTime = 900_000;

afterEach(() => {
  vi.unstubAllEnvs();
});

describe.each(servers)('$name', (server) => {
  const isThere = test.skipIf(!server.isInstalled());
  isThere('a private instance answers, and is gone after it was stopped', { timeout: firstTime }, async (context) => {
    const instance = await server.start().catch((error: unknown) => {
      if (error instanceof Unobtainable) context.skip(error.message);
      throw error;
    });
    expect(await server.answers(instance.address)).toBe(true);
    await instance.stop();
    await instance.stop();
    expect(await server.answers(instance.address)).toBe(false);
    expect(existsSync(instance.log)).toBe(false);
  });
});

describe('the ground of the tests', () => {
  const absent: Server = {
    name: 'Absent',
    variable: 'TEST_ABSENT_URL',
    usualAddress: 'absent://127.0.0.1:1',
    packages: ['absent-server'],
    isInstalled: () => false,
    answers: async () => true,
    start: () => Promise.reject(new Error('not reached')),
  };

  test('takes the address that the environment names', async () => {
    vi.stubEnv('TEST_ABSENT_URL', 'absent://elsewhere:1');
    const ground = await bringUp([absent]);
    expect(ground.environment).toEqual({ TEST_ABSENT_URL: 'absent://elsewhere:1' });
    expect(ground.found).toEqual([
      { server: absent, address: 'absent://elsewhere:1', how: 'named by TEST_ABSENT_URL' },
    ]);
    await ground.tearDown();
  });

  test('does not use a server that already runs unless it is allowed to', async () => {
    vi.stubEnv('REQUIRE_SERVICES', '');
    vi.stubEnv('CI', '');
    const alone = await bringUp([absent]);
    const missing = 'not installed (apt-get install absent-server), and TEST_ABSENT_URL is not set';
    expect(alone.found).toEqual([{ server: absent, missing }]);
    await alone.tearDown();
    vi.stubEnv('TEST_USE_RUNNING', '1');
    const used = await bringUp([absent]);
    expect(used.environment).toEqual({ TEST_ABSENT_URL: 'absent://127.0.0.1:1' });
    await used.tearDown();
  });

  test('a server that does not come up is missing, with its messages', async () => {
    const broken = { ...absent, isInstalled: () => true, start: () => Promise.reject(new Error('no space left')) };
    const ground = await bringUp([broken]);
    expect(ground.found).toEqual([{ server: broken, missing: 'no space left' }]);
    await ground.tearDown();
  });

  test('what cannot be had here is not said to be broken', async () => {
    const reason = new Unobtainable('the registry does not answer');
    const far = { ...absent, isInstalled: () => true, start: () => Promise.reject(reason) };
    const ground = await bringUp([far]);
    const missing = 'the registry does not answer';
    expect(ground.found).toEqual([{ server: far, missing, isUnobtainable: true }]);
    await ground.tearDown();
  });
});
