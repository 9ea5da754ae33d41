/** What carries answers and can be ended: a connection, or the one answer of a stream of HTTP/2. */
export interface Carrier {
  /** Milliseconds without a byte taken until `timeout` is emitted; 0: no limit. */
  setTimeout(milliseconds: number): unknown;
  once(event: 'timeout' | 'close', listener: () => void): unknown;
  removeListener(event: 'timeout' | 'close', listener: () => void): unknown;
  destroy(): unknown;
}

/** An answer that may wait for its caller. */
export interface UnsentAnswer {
  readonly writableLength: number;
  prependOnceListener(event: 'finish' | 'drain', listener: () => void): unknown;
}

/** What the answers of one connection hold, and how to stop the count. */
interface Holding {
  readonly bytes: Map<UnsentAnswer, number>;
  readonly forget: () => void;
}

/**
 * Answers that are written and that their callers have not taken yet. They are memory that a caller decides about, so
 * both are bounded: how long a caller may take not a single byte, and how much all of them hold together.
 */
export class UnsentAnswers {
  readonly #most: number;
  readonly #cut: (carrier: Carrier, reason: 'write_timeout' | 'unsent_limit') => void;
  /** In the order in which connections began to hold something. */
  readonly #holdings = new Map<Carrier, Holding>();
  #bytes = 0;
  /** Milliseconds without a byte taken. */
  timeout = 0;

  /** `most` bytes at a time. `cut` ends a connection. */
  constructor(most: number, cut: (carrier: Carrier, reason: 'write_timeout' | 'unsent_limit') => void) {
    this.#most = most;
    this.#cut = cut;
  }

  /** Bytes that are held. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Takes up an answer of a connection that has ended and is not sent as a whole. */
  add(response: UnsentAnswer, carrier: Carrier): void {
    // Before Node's own listener, which starts the time limit of an idle connection.
    this.#take(response, carrier, 'finish');
  }

  #cutOldest(): void {
    while (this.#bytes > this.#most && this.#holdings.size > 1) {
      const [oldest] = this.#holdings.keys() as Iterable<Carrier> as [Carrier];
      this.#end(oldest, 'unsent_limit');
    }
  }

  /** Takes up an answer that continues when its caller has taken what is written of it. */
  hold(response: UnsentAnswer, carrier: Carrier): void {
    if (this.#holdings.get(carrier)?.bytes.has(response) !== true) this.#take(response, carrier, 'drain');
  }

  #take(response: UnsentAnswer, carrier: Carrier, taken: 'finish' | 'drain'): void {
    const holding = this.#holdings.get(carrier) ?? this.#begin(carrier);
    const length = response.writableLength;
    this.#bytes += length - (holding.bytes.get(response) ?? 0);
    holding.bytes.set(response, length);
    response.prependOnceListener(taken, () => this.#sent(carrier, response));
    this.#cutOldest();
  }

  /** Limits the time of an answer that is the next one to be sent by its carrier; null: others are sent before it. */
  watch(carrier: Carrier | null): void {
    // It starts the time again when something was taken.
    carrier?.setTimeout(this.timeout);
  }

  #begin(carrier: Carrier): Holding {
    const late = () => this.#end(carrier, 'write_timeout');
    const gone = () => this.#forget(carrier);
    carrier.once('timeout', late);
    carrier.once('close', gone);
    const forget = () => {
      carrier.removeListener('timeout', late);
      carrier.removeListener('close', gone);
    };
    const holding = { bytes: new Map<UnsentAnswer, number>(), forget };
    this.#holdings.set(carrier, holding);
    return holding;
  }

  #sent(carrier: Carrier, response: UnsentAnswer): void {
    const holding = this.#holdings.get(carrier);
    if (holding === undefined) return;
    this.#bytes -= holding.bytes.get(response) ?? 0;
    holding.bytes.delete(response);
    carrier.setTimeout(0);
    if (holding.bytes.size === 0) this.#forget(carrier);
  }

  #end(carrier: Carrier, reason: 'write_timeout' | 'unsent_limit'): void {
    this.#forget(carrier);
    this.#cut(carrier, reason);
  }

  #forget(carrier: Carrier): void {
    const holding = this.#holdings.get(carrier);
    if (holding === undefined) return;
    holding.forget();
    this.#holdings.delete(carrier);
    for (const length of holding.bytes.values()) this.#bytes -= length;
  }
}
