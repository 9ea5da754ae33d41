import type { ChildProcess, SendHandle } from 'node:child_process';
import type { Worker } from 'node:cluster';

/** How node:cluster hands a connection to a worker; the worker answers with the number as `ack`. */
interface Handing {
  readonly act: 'newconn';
  readonly seq: number;
}

interface Handed {
  readonly to: Worker;
  readonly message: Handing;
  readonly handle: SendHandle;
}

/**
 * Ensures that no connection stays with a worker that cannot take it. node:cluster keeps a connection open until the
 * worker has taken it, but asks no other worker when that one dies or hangs. Here a worker that does not answer is passed
 * over, and what a dead one had not taken goes to another.
 */
export class Connections {
  readonly #isUsable: (worker: Worker) => boolean;
  readonly #send = new Map<Worker, ChildProcess['send']>();
  /** Connections that workers have not taken yet, by number. */
  readonly #handed = new Map<number, Handed>();

  /** `isUsable` says whether a worker takes connections. */
  constructor(isUsable: (worker: Worker) => boolean) {
    this.#isUsable = isUsable;
  }

  /** Called before the worker listens. */
  watch(worker: Worker): void {
    const { process } = worker;
    const send = process.send.bind(process);
    this.#send.set(worker, send);
    const handOrSend = (...[message, handle, ...rest]: Parameters<ChildProcess['send']>) =>
      isHanding(message) ? this.#hand(message, handle as SendHandle, worker) : send(message, handle, ...rest);
    process.send = handOrSend as ChildProcess['send'];
    process.on('internalMessage' as 'message', (message: unknown) => {
      const { ack } = message as { readonly ack?: number };
      if (ack !== undefined) this.#handed.delete(ack);
    });
    worker.on('exit', () => {
      this.#send.delete(worker);
      this.redistribute();
    });
  }

  /** Hands connections that dead workers have not taken to others; called again when a worker is ready. */
  redistribute(): void {
    for (const { to, message, handle } of [...this.#handed.values()])
      if (!this.#send.has(to)) this.#hand(message, handle, to);
  }

  #hand(message: Handing, handle: SendHandle, wanted: Worker): boolean {
    const isWell = this.#send.has(wanted) && this.#isUsable(wanted);
    const to = isWell ? wanted : ([...this.#send.keys()].find(this.#isUsable) ?? wanted);
    this.#handed.set(message.seq, { to, message, handle });
    return this.#send.get(to)?.(message, handle) ?? false;
  }
}

function isHanding(message: unknown): message is Handing {
  return typeof message === 'object' && message !== null && 'act' in message && message.act === 'newconn';
}
