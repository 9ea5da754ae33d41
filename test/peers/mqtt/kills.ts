import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { connectAsync } from 'mqtt';
import { startService } from '../../support/service.ts';
import { until } from '../../support/until.ts';
import type { Outcome } from '../peer.ts';
import { startReceiver } from '../receiver.ts';

const messages = 1050;
const kills = 3;
/** Milliseconds without a further message after which none comes any more. */
const longestPause = 15_000;

/** Messages of a kept session, while the built program that takes them is killed again and again. */
export async function killedRepeatedly(address: string): Promise<Outcome> {
  const check = `${messages} messages while the service is killed ${kills} times: none is lost`;
  const name = `svc-peers-${randomBytes(6).toString('hex')}`;
  const receiver = await startReceiver();
  const publisher = await connectAsync(address.replace(/^tcp/, 'mqtt'));
  const env = { BROKER: address, CLIENT: name, TOPIC: name, RECEIVER: receiver.url };
  const directory = join(import.meta.dirname, 'service');
  const start = () => startService({ directory, env, args: ['--log-level', 'error', '--no-hot-reload'] });
  const found = () => new Set(receiver.taken.map((each) => (each as { readonly number: number }).number)).size;
  let service = await start();
  try {
    const publishing = (async () => {
      for (let number = 0; number < messages; number++)
        await publisher.publishAsync(name, JSON.stringify({ number }), { qos: 1 });
    })();
    for (let kill = 1; kill <= kills; kill++) {
      await within(longestPause, () => found() >= (kill * messages) / (kills + 2));
      await service.stop('SIGKILL');
      service = await start();
    }
    await publishing;
    for (let before = -1; found() < messages && found() > before; ) {
      before = found();
      await within(longestPause, () => found() > before);
    }
    const lost = messages - found();
    return lost === 0 ? { check } : { check, error: `${lost} are lost` };
  } finally {
    await service.stop('SIGKILL');
    await publisher.endAsync(true);
    await receiver.close();
  }
}

/** Resolves when the condition holds, or the time is over. */
async function within(milliseconds: number, condition: () => boolean): Promise<void> {
  const end = AbortSignal.timeout(milliseconds);
  await until(() => condition() || end.aborted);
}
