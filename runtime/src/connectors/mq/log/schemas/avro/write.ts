import { Failure } from '../../../../../foundation/errors/failure.ts';
import { Extent } from '../../../../../platform/formats/typed/extent.ts';
import { anyNumber, wholeNumber } from '../../../../../platform/formats/typed/numbers.ts';
import { below, doesNotFit, kindOf } from '../../../../../platform/formats/typed/problem.ts';
import { logicalValues } from './logical-values.ts';
import type { AvroType } from './type.ts';

/** The bytes of a value. Throws a Failure `value_refused` that names the place that does not fit, and a field too many. */
export function writeAvro(type: AvroType, value: unknown): Buffer {
  const writing = new Writing();
  writing.value(type, value, '');
  return writing.bytes();
}

type Fields = Readonly<Record<string, unknown>>;

class Writing {
  #parts: Uint8Array[] = [];
  readonly #extent = new Extent();

  bytes(): Buffer {
    return Buffer.concat(this.#parts);
  }

  value(type: AvroType, value: unknown, path: string): void {
    const logical = logicalValues[type.typeName];
    if (logical !== undefined) return this.value(type.underlyingType, logical.write(type, value, path), path);
    this.#extent.value();
    switch (type.typeName) {
      case 'null':
        if (value === null || value === undefined) return;
        throw doesNotFit(path, `must be null, not ${kindOf(value)}`);
      case 'boolean':
        if (typeof value !== 'boolean') throw doesNotFit(path, `must be a boolean, not ${kindOf(value)}`);
        return void this.#parts.push(Buffer.of(value ? 1 : 0));
      case 'int':
        return this.#whole(value, 32, path);
      case 'long':
        return this.#whole(value, 64, path);
      case 'float':
      case 'double':
        return this.#number(value, type.typeName, path);
      case 'string':
        if (typeof value !== 'string') throw doesNotFit(path, `must be a text, not ${kindOf(value)}`);
        return this.#sized(Buffer.from(value));
      case 'bytes':
        if (!(value instanceof Uint8Array)) throw doesNotFit(path, `must be bytes, not ${kindOf(value)}`);
        return this.#sized(value);
      case 'fixed':
        if (!(value instanceof Uint8Array) || value.length !== type.size)
          throw doesNotFit(path, `must be ${type.size} bytes, not ${kindOf(value)}`);
        return void this.#parts.push(value);
      case 'enum':
        return this.#symbol(type, value, path);
      case 'union:wrapped':
        return this.#branch(type, value, path);
      default:
        return this.#composite(type, value, path);
    }
  }

  #composite(type: AvroType, value: unknown, path: string): void {
    this.#extent.enter();
    if (type.typeName === 'array') this.#list(type, value, path);
    else if (typeof value !== 'object' || value === null || Array.isArray(value) || value instanceof Uint8Array)
      throw doesNotFit(path, `must be an object, not ${kindOf(value)}`);
    else if (type.typeName === 'map') this.#map(type, value as Fields, path);
    else this.#record(type, value as Fields, path);
    this.#extent.leave();
  }

  #list({ itemsType }: AvroType, value: unknown, path: string): void {
    if (!Array.isArray(value)) throw doesNotFit(path, `must be a list, not ${kindOf(value)}`);
    if (value.length > 0) this.#long(BigInt(value.length));
    for (const [at, item] of value.entries()) this.value(itemsType, item, below(path, at));
    this.#long(0n);
  }

  #map({ valuesType }: AvroType, value: Fields, path: string): void {
    const entries = Object.entries(value);
    if (entries.length > 0) this.#long(BigInt(entries.length));
    for (const [key, each] of entries) {
      this.#sized(Buffer.from(key));
      this.value(valuesType, each, below(path, key));
    }
    this.#long(0n);
  }

  /** A field that the schema does not have would be lost without a word. */
  #record({ fields }: AvroType, value: Fields, path: string): void {
    for (const name of Object.keys(value))
      if (!fields.some((field) => field.name === name)) throw doesNotFit(below(path, name), 'is not in the schema');
    for (const { name, type, ...field } of fields.map((each) => ({
      name: each.name,
      type: each.type,
      standard: () => each.defaultValue(),
    }))) {
      const own = Object.hasOwn(value, name) ? value[name] : undefined;
      const standard = own === undefined ? field.standard() : undefined;
      if (own === undefined && standard !== undefined) this.#parts.push(type.toBuffer(standard));
      else if (own === undefined && !takesNull(type)) throw doesNotFit(below(path, name), 'is missing');
      else this.value(type, own ?? null, below(path, name));
    }
  }

  /** The first branch that the value fits into. */
  #branch({ types }: AvroType, value: unknown, path: string): void {
    const likely = types.filter((type) => isLikely(type, value));
    const before = this.#parts.length;
    for (const type of likely) {
      this.#long(BigInt(types.indexOf(type)));
      try {
        return this.value(type, value, path);
      } catch (error) {
        // With one choice, what is wrong in it is what is wrong.
        if (likely.length === 1 || !(error instanceof Failure) || error.code !== 'value_refused') throw error;
        this.#parts.length = before;
      }
    }
    const names = types.map(({ name, typeName }) => name ?? typeName.replace('logical:', ''));
    throw doesNotFit(path, `must be one of ${names.join(', ')}, and is ${kindOf(value)} that fits none of them`);
  }

  #symbol({ symbols, name }: AvroType, value: unknown, path: string): void {
    const at = typeof value === 'string' ? symbols.indexOf(value) : -1;
    if (at < 0) throw doesNotFit(path, `must be one of ${symbols.join(', ')} (${name})`);
    this.#long(BigInt(at));
  }

  #number(value: unknown, width: 'float' | 'double', path: string): void {
    const number = anyNumber(value);
    if (number === undefined) throw doesNotFit(path, `must be a number, not ${kindOf(value)}`);
    const bytes = Buffer.alloc(width === 'float' ? 4 : 8);
    if (width === 'float') bytes.writeFloatLE(number);
    else bytes.writeDoubleLE(number);
    this.#parts.push(bytes);
  }

  #whole(value: unknown, bits: 32 | 64, path: string): void {
    const half = 1n << BigInt(bits - 1);
    const number = wholeNumber(value, -half, half - 1n);
    if (number === undefined) throw doesNotFit(path, `must be a whole number of ${bits} bits, not ${kindOf(value)}`);
    this.#long(number);
  }

  #sized(bytes: Uint8Array): void {
    this.#long(BigInt(bytes.length));
    this.#parts.push(bytes);
  }

  #long(number: bigint): void {
    let left = BigInt.asUintN(64, (number << 1n) ^ (number >> 63n));
    const bytes: number[] = [];
    for (; left > 0x7fn; left >>= 7n) bytes.push(Number(left & 0x7fn) | 0x80);
    bytes.push(Number(left));
    this.#parts.push(Uint8Array.from(bytes));
  }
}

function takesNull(type: AvroType): boolean {
  return type.typeName === 'null' || (type.typeName === 'union:wrapped' && type.types.some(takesNull));
}

/** Whether a value of this kind may be one of this type. */
function isLikely(type: AvroType, value: unknown): boolean {
  switch (type.typeName) {
    case 'null':
      return value === null || value === undefined;
    case 'boolean':
      return typeof value === 'boolean';
    case 'int':
    case 'long':
    case 'float':
    case 'double':
      return anyNumber(value) !== undefined;
    case 'string':
    case 'enum':
    case 'logical:date':
      return typeof value === 'string';
    case 'bytes':
    case 'fixed':
      return value instanceof Uint8Array;
    case 'array':
      return Array.isArray(value);
    case 'logical:decimal':
      return typeof value === 'string' || anyNumber(value) !== undefined;
    case 'logical:timestamp-millis':
    case 'logical:timestamp-micros':
      return typeof value === 'string' || value instanceof Date;
    default:
      return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Uint8Array);
  }
}
