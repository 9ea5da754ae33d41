import { Failure } from '../../../foundation/errors/failure.ts';
import type { Clock } from '../../../foundation/observe/clock.ts';
import type { Limits, Sent } from '../channel.ts';

/** Requests under way for one message. */
const mostAtOnce = 100;

/** Failures that say nothing of a device: the others would have the same. */
const ofProvider: readonly string[] = ['connector_refused', 'connector_timeout', 'outcome_unknown', 'connector_busy'];

/**
 * Sends to each device by a request of its own, all of them within the time of the message. One that fails, fails alone, and is in
 * `failed_tokens`; devices that are not asked since the provider is unavailable or the time is over are there too. Rejects
 * with the first failure where every device failed, and with `cancelled`.
 */
export async function sendToDevices(
  devices: readonly string[],
  limits: Limits,
  clock: Clock,
  send: (device: string, limits: Limits) => Promise<string | undefined>,
): Promise<Sent> {
  const end = clock.elapsed() + limits.timeout;
  const failed = new Set<string>();
  let id: string | undefined;
  let first: Failure | undefined;
  let isOver = false;
  let next = 0;
  const work = async () => {
    while (next < devices.length) {
      const device = devices[next++] as string;
      const left = end - clock.elapsed();
      if (isOver || left <= 0) {
        failed.add(device);
        continue;
      }
      try {
        id = (await send(device, { ...limits, timeout: left })) ?? id;
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
        if (error.code === 'cancelled') throw error;
        first ??= error;
        failed.add(device);
        isOver ||= ofProvider.includes(error.code) || error.upstream?.status === 429;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(mostAtOnce, devices.length) }, work));
  if (failed.size === devices.length)
    throw first ?? new Failure('connector_timeout', `no device was asked within ${limits.timeout / 1000} s`);
  // In the order in which they were given.
  const tokens = devices.filter((device) => failed.has(device));
  return { message_id: id, failed_tokens: tokens.length > 0 ? tokens : undefined };
}
