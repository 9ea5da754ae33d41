/**
 * Decoded values in pieces: a thread that takes over one piece after another is never held for long, whatever their
 * number. A piece lists the tokens of a value in written order.
 */
export interface Piece {
  readonly tokens: Uint8Array<ArrayBuffer>;
  /** The values of the tokens `value` and `key`, in order. */
  readonly values: readonly unknown[];
  readonly last: boolean;
}

const token = { value: 0, key: 1, list: 2, map: 3, bareMap: 4, end: 5 } as const;

/** Tokens of one piece: taking it over takes a few milliseconds. */
const pieceTokens = 8192;

type Step = readonly [code: number, value?: unknown];

function* stepsOf(value: unknown): Generator<Step> {
  if (value === null || typeof value !== 'object') {
    yield [token.value, value];
    return;
  }
  if (Array.isArray(value)) {
    yield [token.list];
    for (const item of value)
      if (item === null || typeof item !== 'object') yield [token.value, item];
      else yield* stepsOf(item);
  } else {
    yield [Object.getPrototypeOf(value) === null ? token.bareMap : token.map];
    for (const [name, item] of Object.entries(value)) {
      yield [token.key, name];
      if (item === null || typeof item !== 'object') yield [token.value, item];
      else yield* stepsOf(item);
    }
  }
  yield [token.end];
}

/** Takes a decoded value apart: texts, numbers, booleans and null in lists and maps. */
export function* piecesOf(value: unknown, size: number = pieceTokens): Generator<Piece> {
  let tokens: number[] = [];
  let values: unknown[] = [];
  for (const [code, item] of stepsOf(value)) {
    if (tokens.length === size) {
      yield { tokens: Uint8Array.from(tokens), values, last: false };
      tokens = [];
      values = [];
    }
    tokens.push(code);
    if (code === token.value || code === token.key) values.push(item);
  }
  yield { tokens: Uint8Array.from(tokens), values, last: true };
}

type Container = unknown[] | Record<string, unknown>;

/** Puts pieces together again. */
export class Assembly {
  readonly #open: Container[] = [];
  readonly #keys: string[] = [];
  #root: unknown;

  /** Takes over the next piece. */
  add({ tokens, values }: Piece): void {
    let at = 0;
    for (const code of tokens)
      switch (code) {
        case token.value:
          this.#place(values[at++]);
          break;
        case token.key:
          this.#keys.push(values[at++] as string);
          break;
        case token.list:
          this.#begin([]);
          break;
        case token.map:
          this.#begin({});
          break;
        case token.bareMap:
          this.#begin(Object.create(null) as Record<string, unknown>);
          break;
        case token.end:
          this.#open.pop();
      }
  }

  /** The value, once the last piece was added. */
  get value(): unknown {
    return this.#root;
  }

  #begin(container: Container): void {
    this.#place(container);
    this.#open.push(container);
  }

  #place(value: unknown): void {
    const into = this.#open.at(-1);
    if (into === undefined) this.#root = value;
    else if (Array.isArray(into)) into.push(value);
    else into[this.#keys.pop() as string] = value;
  }
}
