import { webcrypto } from 'node:crypto';
import { wasi, wasiFiles } from '../module/imports.ts';

const success = 0;
const badFile = 8;
const badAddress = 21;
const invalid = 28;
const notThere = 52;

/** The program of a module ended itself. */
export class Exited extends Error {
  override readonly name = 'Exited';
  readonly status: number;

  constructor(status: number) {
    super(`it ended itself with status ${status}`);
    this.status = status;
  }
}

/** Bytes of one line of output that are kept. */
const mostOfLine = 4_096;
/** Bytes that one call may ask to be random, and lines of output that are kept of one call. */
const mostRandom = 65_536;
const mostLines = 100;

/** What modules are given: WASI preview 1 with clocks, random bytes and output, and no file; `env.abort`. */
export class SystemInterface {
  #memory: WebAssembly.Memory | undefined;
  #lines: string[] = [];
  #left = 0;
  #open = '';

  readonly imports: WebAssembly.Imports = { [wasi]: this.#functions(), env: { abort: this.#abort.bind(this) } };

  set memory(memory: WebAssembly.Memory) {
    this.#memory = memory;
  }

  /** The lines that were written since the last time, with what is left of an unfinished one, and how many were left out. */
  takeLines(): { readonly lines: readonly string[]; readonly left: number } | undefined {
    if (this.#open !== '') this.#endLine();
    if (this.#lines.length === 0) return undefined;
    const taken = { lines: this.#lines, left: this.#left };
    this.#lines = [];
    this.#left = 0;
    return taken;
  }

  #functions(): Record<string, (...args: never[]) => number> {
    const none = (count: number, size: number) => {
      this.#view.setUint32(count, 0, true);
      this.#view.setUint32(size, 0, true);
      return success;
    };
    const given: Record<string, (...args: never[]) => number> = {
      args_get: () => success,
      args_sizes_get: none,
      environ_get: () => success,
      environ_sizes_get: none,
      clock_res_get: (_: number, result: number) => this.#time(result, 1_000n),
      clock_time_get: (clock: number, _: bigint, result: number) => this.#clock(clock, result),
      fd_write: (file: number, vectors: number, count: number, result: number) =>
        this.#write(file, vectors, count, result),
      fd_fdstat_get: (file: number, result: number) => this.#fileState(file, result),
      poll_oneoff: () => notThere,
      proc_exit: (status: number) => {
        throw new Exited(status);
      },
      random_get: (at: number, length: number) => this.#random(at, length),
      sched_yield: () => success,
    };
    for (const name of wasiFiles) given[name] = () => badFile;
    // A module that names memory which it does not have is answered so, and does not fail here.
    for (const [name, work] of Object.entries(given))
      given[name] = (...args) => {
        try {
          return work(...args);
        } catch (error) {
          if (error instanceof RangeError) return badAddress;
          throw error;
        }
      };
    return given;
  }

  get #view(): DataView {
    return new DataView((this.#memory as WebAssembly.Memory).buffer);
  }

  #time(result: number, nanoseconds: bigint): number {
    this.#view.setBigUint64(result >>> 0, nanoseconds, true);
    return success;
  }

  #clock(clock: number, result: number): number {
    if (clock === 0) return this.#time(result, BigInt(Date.now()) * 1_000_000n);
    return clock === 1 ? this.#time(result, process.hrtime.bigint()) : invalid;
  }

  #random(at: number, length: number): number {
    const size = length >>> 0;
    if (size > mostRandom) return invalid;
    const bytes = new Uint8Array((this.#memory as WebAssembly.Memory).buffer, at >>> 0, size);
    // Memory that threads share is not filled by the generator itself.
    bytes.set(webcrypto.getRandomValues(new Uint8Array(size)));
    return success;
  }

  /** Output is a device of characters; other files are not there. */
  #fileState(file: number, result: number): number {
    if (file > 2 || file < 0) return badFile;
    const view = this.#view;
    for (let at = 0; at < 24; at++) view.setUint8((result >>> 0) + at, 0);
    view.setUint8(result >>> 0, 2);
    return success;
  }

  #write(file: number, vectors: number, count: number, result: number): number {
    if (file !== 1 && file !== 2) return badFile;
    const view = this.#view;
    let written = 0;
    for (let at = 0; at < Math.min(count >>> 0, 1_024); at++) {
      const start = view.getUint32((vectors >>> 0) + at * 8, true);
      const length = view.getUint32((vectors >>> 0) + at * 8 + 4, true);
      const bytes = new Uint8Array(view.buffer, start, length);
      this.#print(bytes);
      written += length;
    }
    view.setUint32(result >>> 0, written >>> 0, true);
    return success;
  }

  #print(bytes: Uint8Array): void {
    for (let from = 0; from < bytes.length; ) {
      if (this.#lines.length >= mostLines) {
        this.#left++;
        return;
      }
      const end = bytes.indexOf(0x0a, from);
      const piece = bytes.slice(from, Math.min(end < 0 ? bytes.length : end, from + mostOfLine));
      this.#open = (this.#open + Buffer.from(piece).toString('utf8')).slice(0, mostOfLine);
      if (end < 0) return;
      this.#endLine();
      from = end + 1;
    }
  }

  #endLine(): void {
    this.#lines.push(this.#open);
    this.#open = '';
  }

  /** What AssemblyScript calls where an assertion fails; its texts are UTF-16, with their length before them. */
  #abort(message: number, file: number, line: number, column: number): never {
    const place = this.#scriptText(file);
    const says = this.#scriptText(message);
    throw new Error(`abort: ${says || 'no message'}${place === '' ? '' : ` at ${place}:${line}:${column}`}`);
  }

  #scriptText(at: number): string {
    const start = at >>> 0;
    if (start < 4) return '';
    try {
      const { buffer } = this.#memory as WebAssembly.Memory;
      const length = Math.min(new DataView(buffer).getUint32(start - 4, true), 2_048);
      return Buffer.from(new Uint8Array(buffer, start, length).slice()).toString('utf16le');
    } catch {
      return '';
    }
  }
}
