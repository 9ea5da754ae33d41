import { connect, type Socket } from 'node:net';

/** What came of one request. */
interface Answer {
  readonly status: number;
  /** Milliseconds from when it was due, so that waiting for a connection counts. */
  readonly latency: number;
}

export interface OpenLoopResult {
  readonly sent: number;
  readonly answers: readonly Answer[];
  /** Milliseconds by which each request was sent after it was due: what latencies owe to the generator. */
  readonly late: readonly number[];
  /** Connections that were refused or lost with a request on them. */
  readonly lost: number;
}

const mostConnections = 4_000;

/**
 * Sends GET requests at a constant rate, whatever comes back: a slow server is not asked less, as it would be by a
 * generator that waits for answers. One request at a time on a connection; more connections are opened when all are busy.
 */
export class OpenLoop {
  readonly #port: number;
  readonly #request: Buffer;
  readonly #fresh: boolean;
  readonly #idle: Socket[] = [];
  readonly #answers: Answer[] = [];
  readonly #late: number[] = [];
  #connections = 0;
  #open = 0;
  #sent = 0;
  #lost = 0;

  /** `fresh`: every request has a connection of its own. */
  constructor(address: string, path: string, { fresh = false }: { readonly fresh?: boolean } = {}) {
    this.#port = Number(new URL(address).port);
    this.#fresh = fresh;
    const close = fresh ? 'Connection: close\r\n' : '';
    this.#request = Buffer.from(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n${close}\r\n`);
  }

  /** Runs for some seconds and resolves when the last answer has come. */
  async run(rate: number, seconds: number): Promise<OpenLoopResult> {
    const began = performance.now();
    const total = Math.round(rate * seconds);
    await new Promise<void>((resolve) => {
      const timer = setInterval(() => {
        const now = performance.now();
        // The first is due at once.
        const due = Math.min(total, Math.floor(((now - began) / 1_000) * rate) + 1);
        while (this.#sent < due) {
          this.#send(began + (this.#sent / rate) * 1_000);
          this.#sent += 1;
        }
        const over = this.#sent === total && (this.#open === 0 || now - began > seconds * 1_000 + 10_000);
        if (over) {
          clearInterval(timer);
          resolve();
        }
      }, 1);
    });
    return { sent: this.#sent, answers: this.#answers, late: this.#late, lost: this.#lost + this.#open };
  }

  close(): void {
    for (const socket of this.#idle) socket.destroy();
  }

  #send(due: number): void {
    const socket = this.#idle.pop() ?? (this.#connections < mostConnections ? this.#connect() : undefined);
    if (socket === undefined) {
      this.#lost += 1;
      return;
    }
    this.#open += 1;
    this.#late.push(performance.now() - due);
    let text = '';
    const settle = (): void => {
      socket.off('data', read).off('close', gone);
      this.#open -= 1;
    };
    const read = (piece: Buffer): void => {
      text += piece.toString('latin1');
      const end = lengthOf(text);
      if (end === undefined || text.length < end) return;
      settle();
      this.#answers.push({ status: Number(text.slice(9, 12)), latency: performance.now() - due });
      if (this.#fresh || /\r\nconnection: close/i.test(text)) socket.destroy();
      else this.#idle.push(socket);
    };
    const gone = (): void => {
      settle();
      this.#lost += 1;
    };
    socket.on('data', read).on('close', gone);
    socket.write(this.#request);
  }

  #connect(): Socket {
    const socket = connect(this.#port, '127.0.0.1');
    this.#connections += 1;
    socket.setNoDelay(true);
    socket.on('error', () => {});
    socket.on('close', () => {
      this.#connections -= 1;
      const at = this.#idle.indexOf(socket);
      if (at >= 0) this.#idle.splice(at, 1);
    });
    return socket;
  }
}

/** Characters of a whole answer; undefined while its head is not complete. */
function lengthOf(text: string): number | undefined {
  const head = text.indexOf('\r\n\r\n');
  if (head < 0) return undefined;
  const length = /\r\ncontent-length: *(\d+)/i.exec(text.slice(0, head + 2));
  return head + 4 + Number(length?.[1] ?? 0);
}

/** The value that a share of the others does not exceed; 0 of none. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}
