import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import type { LogLine } from '../../shared/services.ts';

const longestLine = 8_192;
const kept = 2_000;
/** Milliseconds between two batches, and lines of one; what comes faster is left out, and counted. */
const pause = 50;
const mostPerBatch = 1_000;

/** What a service prints: the last lines, and batches of new ones. */
export class LogLines {
  readonly #tell: (lines: readonly LogLine[]) => void;
  readonly #watch: (text: string) => void;
  #lines: LogLine[] = [];
  #waiting: LogLine[] = [];
  #leftOut = 0;
  #timer: NodeJS.Timeout | undefined;

  /** `watch` sees each line as it comes. */
  constructor(tell: (lines: readonly LogLine[]) => void, watch: (text: string) => void) {
    this.#tell = tell;
    this.#watch = watch;
  }

  get last(): readonly LogLine[] {
    return this.#lines;
  }

  /** Forgets every line. */
  clear(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#lines = [];
    this.#waiting = [];
    this.#leftOut = 0;
  }

  /** Reads a stream to its end, line by line. */
  follow(stream: Readable, name: LogLine['stream']): void {
    const decoder = new StringDecoder('utf8');
    let rest = '';
    stream.on('data', (piece: Buffer) => {
      const lines = (rest + decoder.write(piece)).split('\n');
      rest = lines.pop() as string;
      for (const line of lines) this.add(name, line);
      for (; rest.length > longestLine; rest = rest.slice(longestLine)) this.add(name, rest.slice(0, longestLine));
    });
    stream.on('end', () => {
      rest += decoder.end();
      if (rest !== '') this.add(name, rest);
    });
    stream.on('error', () => undefined);
  }

  add(stream: LogLine['stream'], written: string): void {
    const text = written.replace(/\r$/, '').slice(0, longestLine);
    this.#watch(text);
    if (this.#waiting.length >= mostPerBatch) this.#leftOut++;
    else this.#waiting.push({ at: Date.now(), stream, text });
    this.#timer ??= setTimeout(() => this.flush(), pause).unref();
  }

  /** Tells what waits. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const lines = this.#waiting;
    if (lines.length === 0) return;
    if (this.#leftOut > 0) lines.push({ at: Date.now(), stream: 'error', text: `(${this.#leftOut} lines left out)` });
    this.#waiting = [];
    this.#leftOut = 0;
    this.#lines = [...this.#lines, ...lines].slice(-kept);
    this.#tell(lines);
  }
}
