import { randomUUID } from 'node:crypto';
import { test, vi } from 'vitest';
import { connectorServices } from '../../../../../test/support/connector-services.ts';
import { faultProxy } from '../../../../../test/support/proxy.ts';
import { until } from '../../../../../test/support/until.ts';
import { RedisSyncStore } from '../../sync/redis/store.ts';
import { addressOf } from './address.ts';

const server = process.env['TEST_REDIS_URL'];
const never = new AbortController().signal;

test.skipIf(server === undefined)('a connection that only listens learns that its server went silent', async () => {
  const { hostname, port } = new URL(server as string);
  const proxy = await faultProxy({ host: hostname, port: Number(port || 6379) });
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const address = addressOf({ url: `redis://127.0.0.1:${proxy.port}`, host: '', port: 0 });
  const listener = new RedisSyncStore('sync', address, connectorServices().log);
  try {
    await listener.open(never);
    const key = randomUUID();
    let woken = 0;
    await listener.onSignal(key, () => woken++);
    await listener.signal(key, 1000);
    await until(() => woken === 1);
    proxy.silence();
    vi.advanceTimersByTime(10_000);
    // A new connection wakes all that wait, since what was published meanwhile is lost.
    await until(() => woken === 2);
    await until(async () => listener.signal(key, 1000).then(() => true));
    await until(() => woken >= 3);
  } finally {
    await listener.close();
    await proxy.close();
    vi.useRealTimers();
  }
});
