import type { CelType } from './types.ts';
import { bool, bytes, double, duration, dyn, int, list, map, nullType, string, timestamp, uint } from './types.ts';

/** A type in a signature: `parameter` denotes any type, the same wherever its name is used. */
export type SignatureType =
  | Exclude<CelType, { kind: 'list' | 'optional' | 'map' | 'struct' }>
  | { readonly kind: 'parameter'; readonly name: string }
  | { readonly kind: 'list' | 'optional'; readonly element: SignatureType }
  | { readonly kind: 'map'; readonly key: SignatureType; readonly value: SignatureType };

export interface SignatureParameter {
  readonly name: string;
  readonly type: SignatureType;
  readonly optional: boolean;
  /** Takes any number of arguments, none included. */
  readonly repeated: boolean;
}

/** One way to call a function, read from its text. */
export interface Signature {
  /** The text it was read from. */
  readonly label: string;
  readonly receiver: SignatureType | undefined;
  readonly name: string;
  readonly parameters: readonly SignatureParameter[];
  readonly result: SignatureType;
}

const simpleTypes: Readonly<Record<string, CelType>> = {
  dyn,
  int,
  uint,
  double,
  bool,
  string,
  bytes,
  null_type: nullType,
  timestamp,
  duration,
  type: { kind: 'type' },
};

/** Reads a signature such as `string.split(separator: string, limit?: int) -> list(string)`. */
export function readSignature(label: string): Signature {
  const match = /^(.*?)(\w+)\((.*)\) -> (.+)$/.exec(withoutReceiver(label));
  if (!match) throw new SyntaxError(`not a signature: ${label}`);
  const [, namespace, name, parameters, result] = match as unknown as [string, string, string, string, string];
  const receiver = receiverOf(label);
  return {
    label,
    receiver: receiver === undefined ? undefined : readType(receiver),
    name: namespace + name,
    parameters: splitAtCommas(parameters).map(readParameter),
    result: readType(result),
  };
}

/** Whether a call with so many arguments fits the signature. */
export function accepts(signature: Signature, count: number): boolean {
  const { parameters } = signature;
  if (parameters.at(-1)?.repeated) return count >= parameters.length - 1;
  return count <= parameters.length && parameters.slice(count).every(({ optional }) => optional);
}

function receiverOf(label: string): string | undefined {
  const match = /^(list|map|optional)\(/.exec(label);
  if (match) return label.slice(0, closing(label, (match[1] as string).length) + 1);
  const word = /^(\w+)\.\w+\(/.exec(label)?.[1];
  return word !== undefined && Object.hasOwn(simpleTypes, word) ? word : undefined;
}

function withoutReceiver(label: string): string {
  const receiver = receiverOf(label);
  return receiver === undefined ? label : label.slice(receiver.length + 1);
}

function readParameter(text: string): SignatureParameter {
  const [name = '', type = 'dyn'] = text.split(/:\s*/, 2);
  return {
    name: name.replace(/^\.\.\.|\?$/g, ''),
    type: readType(type),
    optional: name.endsWith('?'),
    repeated: name.startsWith('...'),
  };
}

function readType(text: string): SignatureType {
  const simple = Object.hasOwn(simpleTypes, text) ? simpleTypes[text] : undefined;
  if (simple) return simple as SignatureType;
  const open = text.indexOf('(');
  if (open < 0) return { kind: 'parameter', name: text };
  const [first, second] = splitAtCommas(text.slice(open + 1, -1)).map(readType);
  const kind = text.slice(0, open);
  if (kind === 'map') return map(first as CelType, second as CelType) as SignatureType;
  return kind === 'list'
    ? (list(first as CelType) as SignatureType)
    : { kind: 'optional', element: first as SignatureType };
}

function splitAtCommas(text: string): string[] {
  const pieces: string[] = [];
  let depth = 0;
  let start = 0;
  for (let at = 0; at <= text.length; at++) {
    const character = text.charAt(at);
    if (character === '(') depth++;
    else if (character === ')') depth--;
    else if (at === text.length || (character === ',' && depth === 0)) {
      const piece = text.slice(start, at).trim();
      if (piece !== '') pieces.push(piece);
      start = at + 1;
    }
  }
  return pieces;
}

function closing(text: string, open: number): number {
  let depth = 0;
  for (let at = open; at < text.length; at++) {
    if (text.charAt(at) === '(') depth++;
    else if (text.charAt(at) === ')' && --depth === 0) return at;
  }
  return text.length;
}
