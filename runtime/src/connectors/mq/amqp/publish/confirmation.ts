import { Failure } from '../../../../foundation/errors/failure.ts';
import { unlisted } from '../../../intake/roster.ts';
import { cancelled } from './cancelling.ts';
import type { ConfirmedChannel, Publication } from './confirmed-channel.ts';
import type { Deadline, Deadlines } from './deadlines.ts';
import type { Room } from './room.ts';
import type { UnderWay } from './under-way.ts';

/** What the messages of one publisher share. */
export interface Sending {
  readonly deadlines: Deadlines;
  readonly underWay: UnderWay;
  readonly room: Room;
  /** Looks whether the connection answers at all: a message was not confirmed in time. */
  suspect(): void;
}

/** How long the confirmation of one message may take. */
export interface Bounds {
  /** Milliseconds, for people. */
  readonly limit: number;
  /** Monotonic milliseconds. */
  readonly at: number;
  readonly signal: AbortSignal | undefined;
}

/** Sends a message that has its room, which it gives back. Resolves when the broker has confirmed it. */
export function sendConfirmed(
  { deadlines, underWay, room, suspect }: Sending,
  channel: ConfirmedChannel,
  publication: Publication,
  { limit, at, signal }: Bounds,
): Promise<void> {
  underWay.begin();
  return new Promise((resolve, reject) => {
    let isOver = false;
    const end = (failure: Failure | undefined) => {
      if (isOver) return;
      isOver = true;
      deadlines.delete(deadline);
      signal?.removeEventListener('abort', cancel);
      underWay.end();
      if (failure === undefined) resolve();
      else reject(failure);
    };
    const cancel = () => end(cancelled());
    const late = () => {
      suspect();
      const seconds = Math.round(limit) / 1000;
      end(new Failure('outcome_unknown', `the broker has not confirmed the message within ${seconds} s`));
    };
    const deadline: Deadline = { place: unlisted, at, late };
    deadlines.add(deadline);
    signal?.addEventListener('abort', cancel, { once: true });
    channel.send(publication, (failure) => {
      room.leave(publication.content.length);
      end(failure);
    });
  });
}
