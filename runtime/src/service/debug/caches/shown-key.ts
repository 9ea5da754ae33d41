import type { HiddenAnswers, KeyPart } from '../../../foundation/contracts/kept-answers.ts';
import { mask, namesCredential } from '../../../foundation/observe/mask.ts';
import type { Secrecy } from '../values/snapshot.ts';
import { type KeyPiece, piecesOf } from './key-shape.ts';

/** Characters of a key that are shown. */
const longest = 4_096;
/** Characters of a field of a generated key that is read to find what it holds; a longer one is hidden. */
const longestRead = 65_536;

export interface ShownKey {
  readonly text: string;
  /** Nothing is masked or cut. */
  readonly isWhole: boolean;
}

/** How keys of a flow are shown; undefined for a text that is not a key of it. */
export function keyShower(
  parts: readonly KeyPart[],
  { fields }: Pick<HiddenAnswers, 'fields'>,
  secrecy: Secrecy,
): (key: string) => ShownKey | undefined {
  const hides = (name: string) => secrecy.hides(name) || (secrecy.masksNames && fields.includes(name));
  const isHidden = new Map<KeyPart, boolean>();
  for (const part of parts)
    if (typeof part !== 'string') isHidden.set(part, part.holds !== 'input' && namesHidden(part.expression, hides));
  const shownPiece = ({ text, from }: KeyPiece): string => {
    if (text === '' || from.length === 0) return text;
    if (from.some((part) => isHidden.get(part))) return mask;
    return from.some(({ holds }) => holds === 'input') ? shownInput(text, hides, secrecy) : text;
  };
  return (key) => {
    const pieces = piecesOf(parts, key);
    if (pieces === undefined) return undefined;
    const text = pieces.map(shownPiece).join('');
    if (text.length <= longest) return { text, isWhole: text === key };
    return { text: `${text.slice(0, longest)}…`, isWhole: false };
  };
}

/** As rules are judged: by the words of the expression, and by the environment. */
function namesHidden(expression: string, hides: (name: string) => boolean): boolean {
  const environment = [...expression.matchAll(/\benv\(\s*(?:\\?["']([^"'\\]*)\\?["']\s*[,)])?/g)];
  return (
    (expression.match(/[\w-]+/g) ?? []).some(hides) ||
    environment.some(([, name]) => name === undefined || namesCredential(name))
  );
}

/** Fields of a message, each `name=value:` with both escaped; a list or a map is JSON. */
function shownInput(text: string, hides: (name: string) => boolean, secrecy: Secrecy): string {
  return text
    .split(':')
    .map((field) => {
      const equals = field.indexOf('=');
      if (equals < 0) return field;
      const name = unescaped(field.slice(0, equals));
      const value = field.slice(equals + 1);
      return hides(name) || holdsHidden(value, hides, secrecy) ? `${field.slice(0, equals)}=${mask}` : field;
    })
    .join(':');
}

function holdsHidden(value: string, hides: (name: string) => boolean, secrecy: Secrecy): boolean {
  if (!/^(?:\{|%5B)/.test(value)) return false;
  if (value.length > longestRead) return true;
  try {
    const parsed: unknown = JSON.parse(unescaped(value));
    return secrecy.masked(parsed) !== parsed || namesOf(parsed).some(hides);
  } catch {
    // A text of the message that only looks like it.
    return false;
  }
}

function namesOf(value: unknown): readonly string[] {
  if (typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) return value.flatMap(namesOf);
  return Object.entries(value).flatMap(([name, member]) => [name, ...namesOf(member)]);
}

function unescaped(text: string): string {
  return text.replace(/%([0-9A-F]{2})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}
