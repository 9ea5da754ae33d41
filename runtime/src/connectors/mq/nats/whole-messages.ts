import type { TlsMaterial } from '../../../platform/net/tls.ts';
import type { NatsLink } from './connection.ts';
import type { StreamPlace } from './message.ts';
import { mostOfAnyServer } from './message-limit.ts';
import type { Opening } from './opening.ts';

/** Reads messages again that are larger than `max_message`: one at a time, each over a connection of its own. */
export class WholeMessages {
  /** Undefined: no TLS is spoken. */
  tls: TlsMaterial | undefined;
  readonly #opening: Opening;
  #last: Promise<void> = Promise.resolve();

  constructor(opening: Opening) {
    this.#opening = opening;
  }

  /** Resolves when the work with the bytes of the message is done. */
  use(place: StreamPlace, work: (link: NatsLink, content: Buffer) => Promise<void>): Promise<void> {
    const done = this.#last.then(() => this.#use(place, work));
    this.#last = done.catch(() => undefined);
    return done;
  }

  async #use(
    { stream, sequence }: StreamPlace,
    work: (link: NatsLink, content: Buffer) => Promise<void>,
  ): Promise<void> {
    const link = await this.#opening.connect({
      tls: this.tls,
      signal: new AbortController().signal,
      lost: () => undefined,
      most: mostOfAnyServer,
    });
    try {
      const found = await (await link.manager()).streams.getMessage(stream, { seq: sequence });
      if (found === null) throw new Error(`stream "${stream}" has no message ${sequence} any more`);
      await work(link, Buffer.from(found.data));
    } finally {
      await link.close().catch(() => undefined);
    }
  }
}
