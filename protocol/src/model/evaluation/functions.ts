import type { FunctionCall } from '../../syntax/index.ts';
import { closest } from '../../text/index.ts';
import { EvaluationError, type EvaluationScope } from './scope.ts';

interface ConfigurationFunction {
  readonly name: string;
  readonly signature: string;
  readonly doc: string;
  readonly arity: readonly [number, number];
  invoke(values: readonly string[], call: FunctionCall, scope: EvaluationScope): string;
}

/** Every function of the configuration language. All of them take and give text. */
export const configurationFunctions: readonly ConfigurationFunction[] = [
  {
    name: 'env',
    signature: 'env(name, default?)',
    doc: 'An environment variable. Empty counts as unset; unset without a default gives an empty text and a warning.',
    arity: [1, 2],
    invoke: ([name = '', fallback], call, scope) => {
      const value = scope.host.env(name);
      if (value !== undefined && value !== '') return value;
      if (fallback === undefined) scope.onUnset?.(name, call);
      return fallback ?? '';
    },
  },
  {
    name: 'file',
    signature: 'file(path)',
    doc: 'The text of a regular file of at most 1 MiB, its path taken from the configuration directory.',
    arity: [1, 1],
    invoke: ([path = ''], call, scope) => attempt(call, () => scope.host.readFile(path)),
  },
  {
    name: 'coalesce',
    signature: 'coalesce(text, …)',
    doc: 'The first text that is not empty, else an empty text.',
    arity: [1, 64],
    invoke: (values) => values.find((value) => value !== '') ?? '',
  },
  {
    name: 'base64encode',
    signature: 'base64encode(text)',
    doc: 'The text in base64, standard alphabet.',
    arity: [1, 1],
    invoke: ([text = '']) => toBase64(text),
  },
  {
    name: 'base64decode',
    signature: 'base64decode(text)',
    doc: 'The text that a base64 text holds.',
    arity: [1, 1],
    invoke: ([text = ''], call) => attempt(call, () => fromBase64(text)),
  },
  {
    name: 'abspath',
    signature: 'abspath(path)',
    doc: 'The absolute form of a path, taken from the configuration directory.',
    arity: [1, 1],
    invoke: ([path = ''], _call, scope) => scope.host.absolutePath(path),
  },
];

export const functionNames: readonly string[] = configurationFunctions.map(({ name }) => name);

/** Calls a function by name. Throws EvaluationError for an unknown name, a wrong number or a wrong kind of arguments. */
export function callFunction(call: FunctionCall, values: readonly unknown[], scope: EvaluationScope): string {
  const { text: name } = call.name;
  const found = configurationFunctions.find((candidate) => candidate.name === name);
  if (!found) {
    const near = closest(name, functionNames);
    throw new EvaluationError(
      `there is no function "${name}" while files are read`,
      call.name,
      near ? `Did you mean "${near}"?` : `These exist: ${functionNames.join(', ')}.`,
    );
  }
  const [least, most] = found.arity;
  if (values.length < least || values.length > most)
    throw new EvaluationError(`${name} is written ${found.signature}`, call);
  const texts = values.map((value, index) => {
    if (typeof value === 'string') return value;
    if (typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint') return String(value);
    throw new EvaluationError(`argument ${index + 1} of ${name} must be a text`, call.arguments[index] ?? call);
  });
  return found.invoke(texts, call, scope);
}

function attempt(call: FunctionCall, work: () => string): string {
  try {
    return work();
  } catch (error) {
    throw new EvaluationError(error instanceof Error ? error.message : String(error), call);
  }
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

function toBase64(text: string): string {
  const bytes = utf8(text);
  let result = '';
  for (let at = 0; at < bytes.length; at += 3) {
    const [a = 0, b, c] = [bytes[at], bytes[at + 1], bytes[at + 2]];
    result += alphabet.charAt(a >> 2) + alphabet.charAt(((a & 3) << 4) | ((b ?? 0) >> 4));
    result += b === undefined ? '=' : alphabet.charAt(((b & 15) << 2) | ((c ?? 0) >> 6));
    result += c === undefined ? '=' : alphabet.charAt(c & 63);
  }
  return result;
}

function fromBase64(text: string): string {
  const clean = text.replace(/\s+/g, '');
  if (!/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(clean))
    throw new Error('the text is not base64');
  const bytes: number[] = [];
  for (let at = 0; at < clean.length; at += 4) {
    const [a = 0, b = 0, c = -1, d = -1] = [...clean.slice(at, at + 4)].map((letter) => alphabet.indexOf(letter));
    bytes.push((a << 2) | (b >> 4));
    if (c >= 0) bytes.push(((b & 15) << 4) | (c >> 2));
    if (c >= 0 && d >= 0) bytes.push(((c & 3) << 6) | d);
  }
  // Percent-decoding is the one UTF-8 decoder of the language itself, and it refuses invalid sequences.
  try {
    return decodeURIComponent(bytes.map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join(''));
  } catch {
    throw new Error('the decoded bytes are not UTF-8 text');
  }
}

function utf8(text: string): number[] {
  const bytes: number[] = [];
  for (const letter of text) {
    const code = letter.codePointAt(0) as number;
    if (code < 0x80) bytes.push(code);
    else if (code < 0x800) bytes.push(0xc0 | (code >> 6), 0x80 | (code & 63));
    else if (code < 0x10000) bytes.push(0xe0 | (code >> 12), 0x80 | ((code >> 6) & 63), 0x80 | (code & 63));
    else bytes.push(0xf0 | (code >> 18), 0x80 | ((code >> 12) & 63), 0x80 | ((code >> 6) & 63), 0x80 | (code & 63));
  }
  return bytes;
}
