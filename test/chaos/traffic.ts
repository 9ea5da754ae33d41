import { Agent, request } from 'node:http';

/** A request that was refused, cut, or answered with another status than 2xx. */
export interface FailedRequest {
  /** The status, or the code of the error and whether the connection had served a request before: `ECONNRESET (reused)`. */
  readonly kind: string;
  readonly method: string;
  /** Requests that were sent before it. */
  readonly after: number;
  /** Milliseconds that it took. */
  readonly took: number;
}

/** What became of the requests. */
export interface Traffic {
  readonly sent: number;
  readonly failed: readonly FailedRequest[];
  /** Numbers of the orders and announcements that were accepted. */
  readonly accepted: readonly string[];
}

/**
 * Sends orders, and asks for each of them, at a constant rate to services that answer, until it is stopped; with
 * `announces` every fourth request is a message that the service publishes. A number is never used twice.
 */
export class TrafficGenerator {
  readonly #agents = new Map<string, Agent>();
  readonly #failed: FailedRequest[] = [];
  readonly #announces: boolean;
  readonly #accepted: string[] = [];
  /** The last order that was accepted. */
  #last: string | undefined;
  readonly #open = new Set<Promise<void>>();
  readonly #timer: NodeJS.Timeout;
  /** Where requests go, one after another. */
  addresses: readonly string[];
  #sent = 0;

  constructor(addresses: readonly string[], rate: number, announces: boolean) {
    this.addresses = addresses;
    this.#announces = announces;
    const began = performance.now();
    this.#timer = setInterval(() => {
      const due = ((performance.now() - began) / 1000) * rate;
      while (this.#sent < due) this.#send();
    }, 2);
  }

  /** Resolves when every request has been answered. */
  async stop(): Promise<Traffic> {
    clearInterval(this.#timer);
    await Promise.all(this.#open);
    for (const agent of this.#agents.values()) agent.destroy();
    return { sent: this.#sent, failed: this.#failed, accepted: this.#accepted };
  }

  #send(): void {
    const count = this.#sent++;
    const address = this.addresses[count % this.addresses.length] as string;
    const isAnnouncement = this.#announces && count % 4 === 3;
    const isOrder = !isAnnouncement && (this.#last === undefined || count % 2 === 0);
    const number = `n${count}`;
    const began = performance.now();
    const failed = (kind: string) => {
      const took = Math.round(performance.now() - began);
      this.#failed.push({ kind, method: isOrder || isAnnouncement ? 'POST' : 'GET', after: count, took });
    };
    const asked = isAnnouncement
      ? this.#ask(address, 'POST', '/announcements', { number })
      : isOrder
        ? this.#ask(address, 'POST', '/orders', { number })
        : this.#ask(address, 'GET', `/orders/${this.#last}`);
    const asking = asked
      .then((status) => {
        if (status < 200 || status > 299) return failed(String(status));
        if (isOrder) this.#last = number;
        if (isOrder || isAnnouncement) this.#accepted.push(number);
      })
      .catch((error: Error) => failed(error.message))
      .finally(() => this.#open.delete(asking));
    this.#open.add(asking);
  }

  #ask(address: string, method: string, path: string, body?: object): Promise<number> {
    let agent = this.#agents.get(address);
    if (agent === undefined)
      this.#agents.set(address, (agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY })));
    return new Promise((resolve, reject) => {
      const asked = request(
        address + path,
        { method, agent, headers: { 'content-type': 'application/json' } },
        (answer) => {
          answer
            .resume()
            .on('end', () => resolve(answer.statusCode ?? 0))
            .on('error', reject);
        },
      );
      asked
        .on('error', ({ code = 'error' }: NodeJS.ErrnoException) =>
          reject(new Error(asked.reusedSocket ? `${code} (reused)` : code)),
        )
        .end(body && JSON.stringify(body));
    });
  }
}
