import type { Command, Redis } from 'ioredis';
import { systemClock } from '../../../foundation/observe/clock.ts';

interface Sent {
  readonly command: Pick<Command, 'isSettled' | 'reject'>;
  /** When it is late, in milliseconds of `systemClock.elapsed()`. */
  readonly due: number;
}

/**
 * Rejects commands that are not answered within so many milliseconds, as `commandTimeout` of ioredis does. That makes a timer
 * for each command, which costs a hit of a cache a good part of what it adds to a request; answers come in the order of
 * commands, so that one timer for the oldest is enough. Commands that were sent together are late together: with the oldest
 * of them, ioredis ends the silent connection (`socketTimeout`), and would say of the others that it was lost.
 */
export function limitCommands(redis: Redis, limit: number): void {
  const send = redis.sendCommand;
  let sent: Sent[] = [];
  /** How many at the front of the list are done with. */
  let done = 0;
  let timer: NodeJS.Timeout | undefined;
  /** A timer may fire a part of a millisecond early. */
  const together = Math.max(1, Math.min(25, limit / 50));

  const dropSettled = () => {
    while (done < sent.length && sent[done]?.command.isSettled === true) done++;
    if (done < 1000 && done < sent.length) return;
    sent = sent.slice(done);
    done = 0;
  };
  const wait = (milliseconds: number) => {
    timer = setTimeout(expire, milliseconds).unref();
  };
  const expire = () => {
    timer = undefined;
    const now = systemClock.elapsed();
    for (; done < sent.length; done++) {
      const { command, due } = sent[done] as Sent;
      if (command.isSettled) continue;
      if (due > now + together) break;
      command.reject(new Error('Command timed out'));
    }
    dropSettled();
    const next = sent[done];
    if (next !== undefined) wait(next.due - now);
  };

  redis.sendCommand = (command, stream) => {
    dropSettled();
    sent.push({ command, due: systemClock.elapsed() + limit });
    if (timer === undefined) wait(limit);
    return send.call(redis, command, stream);
  };
}
