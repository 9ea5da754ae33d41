import type { WebSocket } from 'ws';
import type { LateBodies } from '../sockets/late-bodies.ts';

/** What the library has of the frames that come, by the names that its own code has. */
interface Receiving {
  /** 0, unless a message has begun whose last frame has not come. */
  readonly _receiver: { readonly _fragmented: number };
}

export interface MessagePaceOptions {
  /** Messages whose frames do not come to an end. */
  readonly late: LateBodies;
  /** Bytes that have come over the connection. */
  readonly received: () => number;
  /** Ends the connection, whose peer is too slow. */
  readonly end: () => void;
}

/** The messages that a peer sends: one that has begun and does not come to an end must keep its pace. */
export class MessagePace {
  readonly #socket: WebSocket;
  readonly #options: MessagePaceOptions;
  /** Messages that came. */
  #heard = 0;
  /** Those at the last look. */
  #heardBefore = 0;
  /** A message had begun at the last look: since then `unfinished`, later its pace is watched. */
  #message: 'none' | 'unfinished' | 'late' = 'none';

  constructor(socket: WebSocket, options: MessagePaceOptions) {
    this.#socket = socket;
    this.#options = options;
    socket.on('message', () => this.#heard++);
  }

  /** Whether a message has come since the last look. */
  get hasHeard(): boolean {
    return this.#heard > this.#heardBefore;
  }

  /** Called every so often, such as with each ping: a message that had begun before the last look is late. */
  look(): void {
    const socket = this.#socket;
    const heard = this.#heard;
    const isUnfinished = (socket as unknown as Receiving)._receiver._fragmented !== 0;
    if (!isUnfinished || this.hasHeard) this.#message = isUnfinished ? 'unfinished' : 'none';
    else if (this.#message === 'none') this.#message = 'unfinished';
    else if (this.#message === 'unfinished') {
      this.#message = 'late';
      this.#options.late.take({
        isComplete: () => this.#heard > heard || socket.readyState !== socket.OPEN,
        received: this.#options.received,
        isUntaken: () => socket.isPaused,
        end: this.#options.end,
      });
    }
    this.#heardBefore = heard;
  }
}

/** What is sent to a peer whose message kept no pace: a policy is violated (RFC 6455, 7.4.1). */
export const tooSlow = { code: 1008, reason: 'a message did not arrive in time' } as const;
