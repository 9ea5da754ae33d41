import { createInterface, type Interface } from 'node:readline';

/** Lines of an input, one at a time, as they are asked for. */
export class Lines {
  readonly #reader: Interface;
  readonly #read: string[] = [];
  readonly #waiting: ((line: string | undefined) => void)[] = [];
  #isOver = false;

  constructor(input: NodeJS.ReadableStream) {
    this.#reader = createInterface({ input, terminal: false });
    this.#reader.on('line', (line) => {
      const wait = this.#waiting.shift();
      if (wait === undefined) this.#read.push(line);
      else wait(line);
    });
    this.#reader.on('close', () => {
      this.#isOver = true;
      for (const wait of this.#waiting.splice(0)) wait(undefined);
    });
  }

  /** The next line; undefined when there are no more. */
  next(): Promise<string | undefined> {
    const line = this.#read.shift();
    if (line !== undefined || this.#isOver) return Promise.resolve(line);
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  close(): void {
    this.#reader.close();
  }
}
