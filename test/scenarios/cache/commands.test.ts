import { randomBytes } from 'node:crypto';
import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { migrate, type Scenario, startScenario } from '../scenario.ts';

const server = process.env['TEST_REDIS_URL'] ?? '';
const prefix = `commands-${randomBytes(6).toString('hex')}`;

describe.each(['memory', 'redis'].filter((engine) => engine === 'memory' || server !== ''))('%s', (engine) => {
  let service: Scenario;

  beforeAll(async () => {
    service = await startScenario(import.meta.dirname, {
      env: engine === 'redis' ? { CACHE_URL: server, CACHE_PREFIX: prefix } : {},
      prepare: async (directory) => {
        cpSync(join(directory, 'engines', engine), directory, { recursive: true });
        rmSync(join(directory, 'engines'), { recursive: true });
        await migrate(directory, ['db']);
      },
    });
  });

  afterAll(async () => {
    await service?.end();
    if (engine === 'memory') return;
    const redis = new Redis(server);
    const left = await redis.keys(`${prefix}:*`);
    if (left.length > 0) await redis.del(left);
    redis.disconnect();
  });

  const ask = async (method: string, path: string, body?: object) => {
    const answer = await service.ask(method, path, body);
    return [answer.status, answer.body];
  };

  test('flows set, get, count and delete entries by named operations', async () => {
    const session = { user_id: 'a:*', role: 'admin' };
    expect([
      await ask('POST', '/sessions', session),
      await ask('GET', '/sessions/a:*'),
      await ask('GET', '/sessions/a'),
      await ask('DELETE', '/sessions/a:*'),
      await ask('GET', '/sessions/a:*'),
    ]).toEqual([
      [200, { affected: 1 }],
      [200, session],
      [200, []],
      [200, { affected: 1 }],
      [200, []],
    ]);
    const visit = (count: number, allowed: boolean) => [200, { count, allowed, expires: true }];
    const visits = [];
    for (let n = 0; n < 4; n++) visits.push(await ask('POST', '/visits/home', {}));
    expect(visits).toEqual([visit(1, true), visit(2, true), visit(3, true), visit(3, false)]);
  });

  test('steps use the commands themselves; a null that is stored is not a miss', async () => {
    expect([
      await ask('GET', '/notes/1'),
      await ask('PUT', '/notes/1', { text: null }),
      await ask('GET', '/notes/1'),
      await ask('PUT', '/notes/1', { text: 'hello' }),
      await ask('GET', '/notes/1'),
    ]).toEqual([
      [200, { note: 'none', there: false }],
      [200, { affected: 1 }],
      [200, { note: null, there: true }],
      [200, { affected: 1 }],
      [200, { note: 'hello', there: true }],
    ]);
  });
});
