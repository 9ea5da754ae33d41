/** What is wrong with a module, for people who read the log or a diagnostic. */
export class ModuleRefused extends Error {
  override readonly name = 'ModuleRefused';
}

/** Reads the numbers and texts of a WebAssembly binary in turn. Throws ModuleRefused where the bytes end too early. */
export class ByteReader {
  readonly #bytes: Uint8Array;
  at: number;
  readonly end: number;

  constructor(bytes: Uint8Array, at = 0, end = bytes.length) {
    this.#bytes = bytes;
    this.at = at;
    this.end = end;
  }

  get isAtEnd(): boolean {
    return this.at >= this.end;
  }

  byte(): number {
    if (this.at >= this.end) throw new ModuleRefused('it is cut off');
    return this.#bytes[this.at++] as number;
  }

  /** An unsigned LEB128 number of at most 32 bits. */
  number(): number {
    let value = 0;
    for (let shift = 0; shift < 35; shift += 7) {
      const byte = this.byte();
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) {
        if (value > 0xffff_ffff) break;
        return value;
      }
    }
    throw new ModuleRefused('it holds a number that is too large');
  }

  /** A reader of the next `length` bytes, which are skipped here. */
  part(length: number): ByteReader {
    if (length > this.end - this.at) throw new ModuleRefused('it is cut off');
    const part = new ByteReader(this.#bytes, this.at, this.at + length);
    this.at += length;
    return part;
  }

  text(): string {
    const { at, end } = this.part(this.number());
    try {
      return new TextDecoder('utf-8', { fatal: true }).decode(this.#bytes.subarray(at, end));
    } catch {
      throw new ModuleRefused('it holds a name that is not UTF-8');
    }
  }
}

/** A number as unsigned LEB128. */
export function numberBytes(value: number): number[] {
  const bytes: number[] = [];
  do {
    const rest = Math.floor(value / 128);
    bytes.push((value % 128) + (rest > 0 ? 128 : 0));
    value = rest;
  } while (value > 0);
  return bytes;
}
