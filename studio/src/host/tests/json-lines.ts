import { StringDecoder } from 'node:string_decoder';

/** Characters of one line. */
const longest = 16 * 1024 * 1024;

/** Values that a program writes, one a line. What is not JSON, such as what a test printed, is left out. */
export class JsonLines<T extends object> {
  readonly #take: (value: T) => void;
  readonly #decoder = new StringDecoder('utf8');
  /** Pieces of the line that has not ended. */
  #pieces: string[] = [];
  #length = 0;

  constructor(take: (value: T) => void) {
    this.#take = take;
  }

  /** False when a line is too long, of which nothing is kept. */
  add(piece: Buffer): boolean {
    const lines = this.#decoder.write(piece).split('\n');
    const rest = lines.pop() ?? '';
    for (const line of lines) {
      const value = parsed(this.#pieces.join('') + line);
      this.#pieces = [];
      this.#length = 0;
      if (value !== undefined) this.#take(value as T);
    }
    this.#pieces.push(rest);
    this.#length += rest.length;
    if (this.#length <= longest) return true;
    this.#pieces = [];
    this.#length = 0;
    return false;
  }
}

function parsed(line: string): object | undefined {
  if (!line.startsWith('{')) return undefined;
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
