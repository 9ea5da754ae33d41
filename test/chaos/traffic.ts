import { Agent, request } from 'node:http';

/** What became of the requests. */
export interface Traffic {
  readonly sent: number;
  /** Refused, cut, or answered with another status than 2xx. */
  readonly failed: readonly string[];
  /** Numbers of the orders that were accepted. */
  readonly accepted: readonly string[];
}

/**
 * Sends orders, and asks for each of them, at a constant rate to services that answer, until it is stopped. The number
 * of an order is never used twice.
 */
export class TrafficGenerator {
  readonly #agents = new Map<string, Agent>();
  readonly #failed: string[] = [];
  readonly #accepted: string[] = [];
  readonly #open = new Set<Promise<void>>();
  readonly #timer: NodeJS.Timeout;
  /** Where requests go, one after another. */
  addresses: readonly string[];
  #sent = 0;

  constructor(addresses: readonly string[], rate: number) {
    this.addresses = addresses;
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
    const last = this.#accepted.at(-1);
    const isOrder = last === undefined || count % 2 === 0;
    const number = `n${count}`;
    const asking = (
      isOrder ? this.#ask(address, 'POST', '/orders', { number }) : this.#ask(address, 'GET', `/orders/${last}`)
    )
      .then((status) => {
        if (status < 200 || status > 299) this.#failed.push(`${status} after ${count} requests`);
        else if (isOrder) this.#accepted.push(number);
      })
      .catch((error: Error) => void this.#failed.push(`${error.message} after ${count} requests`))
      .finally(() => this.#open.delete(asking));
    this.#open.add(asking);
  }

  #ask(address: string, method: string, path: string, body?: object): Promise<number> {
    let agent = this.#agents.get(address);
    if (agent === undefined) this.#agents.set(address, (agent = new Agent({ keepAlive: true, maxSockets: 200 })));
    return new Promise((resolve, reject) => {
      request(address + path, { method, agent, headers: { 'content-type': 'application/json' } }, (answer) => {
        answer
          .resume()
          .on('end', () => resolve(answer.statusCode ?? 0))
          .on('error', reject);
      })
        .on('error', reject)
        .end(body && JSON.stringify(body));
    });
  }
}
