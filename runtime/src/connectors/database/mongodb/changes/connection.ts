import type { Connection } from '../../../../platform/net/connection.ts';
import type { Delivery } from '../../../intake/driver.ts';
import { ChangeStream, type StreamContext } from './stream.ts';

type Shared = Omit<StreamContext, 'room' | 'deliver' | 'freed' | 'lost'>;

/** The streams of one life of the source: from when it connected until one of them is lost. */
export class ChangeConnection implements Connection {
  readonly #context: StreamContext;
  readonly #streams = new Map<string, ChangeStream>();
  #deliver: ((delivery: Delivery) => void) | undefined;
  #window = 0;
  #held = 0;

  constructor(shared: Shared, lost: (reason: string) => void) {
    this.#context = {
      ...shared,
      lost,
      room: () => this.#window - this.#held,
      deliver: () => this.#deliver && this.#count,
      freed: () => {
        this.#held--;
        this.#pump();
      },
    };
  }

  /** Begins or continues with these collections, and ends others. */
  async subscribe(
    collections: readonly string[],
    window: number,
    deliver: (delivery: Delivery) => void,
  ): Promise<void> {
    this.#window = window;
    this.#deliver = deliver;
    const ended = [...this.#streams].filter(([name]) => !collections.includes(name));
    for (const [name, stream] of ended) {
      this.#streams.delete(name);
      await stream.close();
    }
    for (const name of collections) {
      if (this.#streams.has(name)) continue;
      const stream = new ChangeStream(name, this.#context);
      this.#streams.set(name, stream);
      await stream.start();
    }
    this.#pump();
  }

  /** Delivers nothing for now; what goes back waits here. */
  pause(): void {
    this.#deliver = undefined;
  }

  async close(): Promise<void> {
    this.#deliver = undefined;
    await Promise.all([...this.#streams.values()].map((stream) => stream.close()));
  }

  destroy(): void {
    this.#deliver = undefined;
    for (const stream of this.#streams.values()) stream.end();
  }

  #pump(): void {
    for (const stream of this.#streams.values()) stream.pump();
  }

  readonly #count = (delivery: Delivery): void => {
    this.#held++;
    this.#deliver?.(delivery);
  };
}
