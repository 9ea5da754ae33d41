import { type Channel, encodeNotification } from '@svc/protocol/wire';
import type { Clock } from '../../../foundation/observe/clock.ts';
import type { EventSink } from '../session.ts';

/** Characters that are on their way to a client before the rest waits here. */
const window = 262_144;
/** Trace events that wait at most, in number and in characters. */
const mostTraces = 10_000;
const mostTraceText = 8_388_608;
/** Characters of what is never left out that wait at most; a client that reads nothing until then is disconnected. */
const mostKeptText = 67_108_864;
/** Milliseconds between two reports of what was left out. */
const reportPause = 1_000;

interface Waiting {
  readonly text: string;
  readonly lane: 'kept' | 'trace';
}

/**
 * What waits for one client, in order. Nothing waits for the client: trace events that find no room are left out and
 * counted, and when there is no room those that wait are dropped for a stop, so that a stop is never lost and never late.
 */
export class Outbox implements EventSink {
  /** Whether the client understands the report of what was left out. */
  reports = false;
  readonly #channel: Channel;
  readonly #clock: Clock;
  readonly #over = new AbortController();
  #waiting: Waiting[] = [];
  #traces = 0;
  #traceText = 0;
  #keptText = 0;
  #onTheWay = 0;
  /** The last texts that left together, of which the channel said so by giving one promise for them. */
  #batch: { readonly sent: Promise<void>; length: number } | undefined;
  #dropped = 0;
  #isReporting = false;

  constructor(channel: Channel, clock: Clock) {
    this.#channel = channel;
    this.#clock = clock;
    void channel.closed.then(() => this.#end());
  }

  get hasRoom(): boolean {
    return this.#traces < mostTraces && this.#traceText < mostTraceText;
  }

  send(text: string, lane: 'kept' | 'trace'): void {
    if (this.#over.signal.aborted) return;
    if (!this.hasRoom) {
      if (lane === 'trace') return this.skip();
      this.#makeWay();
    }
    if (this.#waiting.length === 0 && this.#onTheWay < window) return this.#hand(text);
    this.#waiting.push({ text, lane });
    if (lane === 'trace') {
      this.#traces++;
      this.#traceText += text.length;
    } else if ((this.#keptText += text.length) > mostKeptText) this.#channel.close(1013, 'the client does not read');
  }

  skip(): void {
    this.#drop(1);
  }

  #makeWay(): void {
    this.#drop(this.#traces);
    this.#waiting = this.#waiting.filter(({ lane }) => lane === 'kept');
    this.#traces = 0;
    this.#traceText = 0;
  }

  #hand(text: string): void {
    const sent = this.#channel.send(text);
    if (sent === undefined) return;
    this.#onTheWay += text.length;
    if (this.#batch?.sent === sent) {
      this.#batch.length += text.length;
      return;
    }
    const batch = { sent, length: text.length };
    this.#batch = batch;
    const arrived = () => {
      if (this.#batch === batch) this.#batch = undefined;
      this.#onTheWay -= batch.length;
      this.#pump();
    };
    sent.then(arrived, arrived);
  }

  #pump(): void {
    let at = 0;
    for (; at < this.#waiting.length && this.#onTheWay < window; at++) {
      const { text, lane } = this.#waiting[at] as Waiting;
      if (lane === 'trace') {
        this.#traces--;
        this.#traceText -= text.length;
      } else this.#keptText -= text.length;
      this.#hand(text);
    }
    if (at > 0) this.#waiting.splice(0, at);
  }

  #drop(count: number): void {
    this.#dropped += count;
    if (!this.reports || this.#isReporting || this.#dropped === 0) return;
    this.#isReporting = true;
    this.#clock.sleep(reportPause, this.#over.signal).then(
      () => {
        this.#isReporting = false;
        const dropped = this.#dropped;
        this.#dropped = 0;
        this.send(encodeNotification('event.dropped', { count: dropped }), 'kept');
      },
      () => undefined,
    );
  }

  #end(): void {
    this.#over.abort();
    this.#waiting = [];
  }
}
