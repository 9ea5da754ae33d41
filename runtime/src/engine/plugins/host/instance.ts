import type { Convention, MemoryFunctions } from '../module/entries.ts';
import { Exited, SystemInterface } from './wasi.ts';

/** What a module did that no plugin may: its instance is not used again. */
export class Misbehaved extends Error {
  override readonly name = 'Misbehaved';
}

/** The input or the result is larger than the limit of the plugin; the instance is as it was where it is the input. */
export class TooLarge extends Error {
  override readonly name = 'TooLarge';
}

type Exported = (...args: readonly number[]) => unknown;

/** One instance of a module, with memory of its own. Calls are synchronous, one at a time. */
export class ModuleInstance {
  readonly system = new SystemInterface();
  readonly #memory: WebAssembly.Memory;
  readonly #exports: WebAssembly.Exports;
  readonly #allocate: Exported;
  readonly #free: Exported | undefined;
  readonly #maxBytes: number;

  /** Runs what the module runs at its start. Throws what that throws. */
  constructor(module: WebAssembly.Module, functions: MemoryFunctions, maxBytes: number) {
    const needed = new Set(WebAssembly.Module.imports(module).map((each) => each.module));
    const imports = Object.fromEntries(Object.entries(this.system.imports).filter(([name]) => needed.has(name)));
    const { exports } = new WebAssembly.Instance(module, imports);
    this.#exports = exports;
    this.#memory = exports['memory'] as WebAssembly.Memory;
    this.system.memory = this.#memory;
    this.#allocate = exports[functions.allocate] as Exported;
    this.#free = functions.free === undefined ? undefined : (exports[functions.free] as Exported);
    this.#maxBytes = maxBytes;
    this.#begin();
  }

  /** Calls an entry with a JSON text and gives the bytes of its answer: a copy, which is the caller's. */
  call(entry: string, input: Uint8Array, convention: Convention): Uint8Array | boolean {
    if (input.length > this.#maxBytes)
      throw new TooLarge(`the input has ${input.length} bytes, more than max_bytes (${this.#maxBytes})`);
    const at = this.#place(input);
    const result = (this.#exports[entry] as Exported)(at, input.length);
    let answer: Uint8Array | boolean;
    if (convention === 'flag') answer = flagOf(result);
    else {
      const { start, length, owned, extra } = this.#locate(result, convention);
      this.#within(start, length);
      if (start < at + input.length && at < start + length)
        throw new Misbehaved('its result is in the memory of its input, which is given back after the call');
      // A memory that threads share can change while it is read: it is copied before anything looks at it.
      answer = new Uint8Array(this.#memory.buffer, start, length).slice();
      this.#release(owned, length + extra);
    }
    this.#release(at, input.length);
    return answer;
  }

  /** The start of a reactor, or the program of a command, which initialises the library of its language. */
  #begin(): void {
    const begin = this.#exports['_initialize'] ?? this.#exports['_start'];
    if (typeof begin !== 'function') return;
    try {
      begin();
    } catch (error) {
      if (!(error instanceof Exited) || error.status !== 0) throw error;
    }
  }

  #place(input: Uint8Array): number {
    const at = (this.#allocate(input.length) as number) >>> 0;
    if (at === 0) throw new Misbehaved(`its alloc gives no memory for ${input.length} bytes`);
    if (at + input.length > this.#memory.buffer.byteLength)
      throw new Misbehaved(`its alloc gives memory that it does not have (${at}, for ${input.length} bytes)`);
    new Uint8Array(this.#memory.buffer, at, input.length).set(input);
    return at;
  }

  #locate(
    result: unknown,
    convention: Exclude<Convention, 'flag'>,
  ): { readonly start: number; readonly length: number; readonly owned: number; readonly extra: number } {
    switch (convention) {
      case 'packed': {
        const packed = BigInt.asUintN(64, result as bigint);
        const start = Number(packed >> 32n);
        return { start, length: Number(packed & 0xffff_ffffn), owned: start, extra: 0 };
      }
      case 'pair': {
        const [pointer, length] = result as readonly [number, number];
        return { start: pointer >>> 0, length: length >>> 0, owned: pointer >>> 0, extra: 0 };
      }
      case 'length-prefixed': {
        const pointer = (result as number) >>> 0;
        this.#inMemory(pointer, 4);
        const length = new DataView(this.#memory.buffer).getUint32(pointer, true);
        return { start: pointer + 4, length, owned: pointer, extra: 4 };
      }
      case 'nul-terminated': {
        const start = (result as number) >>> 0;
        this.#inMemory(start, 1);
        const rest = new Uint8Array(this.#memory.buffer, start);
        const length = rest.subarray(0, this.#maxBytes + 1).indexOf(0);
        if (length < 0) throw new Misbehaved(`its result has no end within max_bytes (${this.#maxBytes})`);
        return { start, length, owned: start, extra: 1 };
      }
    }
  }

  #within(start: number, length: number): void {
    if (length > this.#maxBytes)
      throw new Misbehaved(`its result has ${length} bytes, more than max_bytes (${this.#maxBytes})`);
    this.#inMemory(start, length);
  }

  #inMemory(start: number, length: number): void {
    if (start === 0) throw new Misbehaved('its result is at the address 0');
    if (start + length > this.#memory.buffer.byteLength)
      throw new Misbehaved(`its result is outside of its memory (${start}, ${length} bytes)`);
  }

  #release(at: number, length: number): void {
    this.#free?.(at, length);
  }
}

function flagOf(result: unknown): boolean {
  if (result === 1) return true;
  if (result === 0) return false;
  throw new Misbehaved(`it gives ${String(result)} where 1 means valid and 0 means invalid`);
}
