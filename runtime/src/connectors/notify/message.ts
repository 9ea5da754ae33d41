import { Failure } from '../../foundation/errors/failure.ts';
import { encodeJson } from '../../platform/formats/json.ts';
import { type Address, addressesOf, mostAddresses } from './addresses.ts';

/** What a field of a message is read as. */
interface Kinds {
  /** A text; numbers are written as one. An empty one counts as absent. */
  readonly text: string;
  readonly flag: boolean;
  readonly integer: number;
  /** A list of texts, or one text. */
  readonly texts: readonly string[];
  /** A map. */
  readonly map: Fields;
  /** A list of addresses of mail, or one: texts such as `Ana <ana@example.org>`, or maps `{email, name}`. */
  readonly addresses: readonly Address[];
  /** Whatever it is, as JSON has it. */
  readonly data: unknown;
}

type Fields = Readonly<Record<string, unknown>>;

/** One field that flows write, as data: what reads it, what editors offer and what pages say come from it. */
export interface MessageField {
  readonly doc: string;
  readonly kind: keyof Kinds;
  /** Other names under which it is found, those before others first. */
  readonly spellings?: readonly string[];
  /** A message without it is not sent. */
  readonly required?: true;
  /** The `target` of a call gives it where the message does not. */
  readonly byTarget?: true;
  /** Absent: what the message has beside its fields, if that is anything. */
  readonly rest?: true;
  /** What the message has beside its fields is read where this one is absent. */
  readonly others?: true;
  /** The only values that a text may have. */
  readonly choices?: readonly string[];
}

/** The fields of the messages of a channel, by name. */
export type MessageFields = Readonly<Record<string, MessageField>>;

/** What is read of a message. */
export type Message<F extends MessageFields> = {
  readonly [Name in keyof F]: F[Name] extends { required: true }
    ? Kinds[F[Name]['kind']]
    : Kinds[F[Name]['kind']] | undefined;
};

/** Entries of a list of texts: recipients of one message. */
const mostTexts = 10_000;

/** Reads one message; `target` is that of the call. */
export type MessageReader<F extends MessageFields> = (given: Fields, target: unknown) => Message<F>;

/**
 * Reads the fields of messages under each of their names; what a channel does not know is left alone, since a message may be
 * that of a flow without transform. Throws `value_refused`, which names the field and never shows its value.
 */
export function messageReader<F extends MessageFields>(fields: F): MessageReader<F> {
  const known = new Set(spellingsOf(fields));
  const read = Object.entries(fields).map(([name, field]) => {
    const spellings = [name, ...(field.spellings ?? [])];
    return (given: Fields, target: unknown): unknown => {
      for (const spelling of spellings)
        if (isGiven(given[spelling])) return readAs(spelling, field, given[spelling] as unknown);
      const value =
        field.byTarget && isGiven(target) ? readAs(name, field, target) : field.rest && restOf(known, given);
      if (value === undefined && field.required) throw new Failure('value_refused', `the message has no ${name}`);
      return value;
    };
  });
  const names = Object.keys(fields);
  return (given, target) => {
    const message: Record<string, unknown> = {};
    for (const [at, name] of names.entries()) message[name] = read[at]?.(given, target);
    return message as Message<F>;
  };
}

function restOf(known: ReadonlySet<string>, given: Fields): Fields | undefined {
  const others = Object.entries(given).filter(([name]) => !known.has(name));
  return others.length === 0 ? undefined : Object.fromEntries(others);
}

/** Whether a message may have fields beside those that are known. */
export function takesOthers(fields: MessageFields): boolean {
  return Object.values(fields).some(({ rest, others }) => rest ?? others);
}

/** The names under which fields are read. */
export function spellingsOf(fields: MessageFields): readonly string[] {
  return Object.entries(fields).flatMap(([name, { spellings = [] }]) => [name, ...spellings]);
}

export function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null && value !== '';
}

function readAs(name: string, { kind, choices }: MessageField, value: unknown): unknown {
  const found = readers[kind](value);
  if (found === undefined) throw new Failure('value_refused', `${name} must be ${says[kind]}`);
  if (choices !== undefined && !choices.includes(found as string))
    throw new Failure('value_refused', `${name} must be one of ${choices.join(', ')}`);
  return found;
}

const says: Readonly<Record<keyof Kinds, string>> = {
  text: 'a text',
  flag: 'true or false',
  integer: 'a whole number',
  texts: `a text, or a list of at most ${mostTexts} texts`,
  map: 'a map',
  addresses: `an address of mail, {email, name}, or a list of at most ${mostAddresses} of them`,
  data: 'a value',
};

const flags: Readonly<Record<string, boolean>> = { true: true, false: false };

const readers: { readonly [K in keyof Kinds]: (value: unknown) => Kinds[K] | undefined } = {
  text: textOf,
  flag: (value) => (typeof value === 'boolean' ? value : flags[String(value)]),
  integer: (value) => {
    const number = typeof value === 'string' && /^-?\d{1,15}$/.test(value) ? Number(value) : value;
    if (typeof number === 'bigint') return Number.isSafeInteger(Number(number)) ? Number(number) : undefined;
    return Number.isSafeInteger(number) ? (number as number) : undefined;
  },
  texts: (value) => {
    const all = Array.isArray(value) ? value : [value];
    const texts = all.filter(isGiven).map(textOf);
    return all.length > mostTexts || texts.includes(undefined) ? undefined : (texts as string[]);
  },
  map: (value) =>
    typeof value === 'object' && value !== null && !Array.isArray(value) && !ArrayBuffer.isView(value)
      ? (value as Fields)
      : undefined,
  addresses: addressesOf,
  data: (value) => value,
};

function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value.toWellFormed();
  return typeof value === 'number' || typeof value === 'bigint' ? String(value) : undefined;
}

/** Bytes of one request without attachments: more than any provider takes of a message. */
export const largest = 1_048_576;

/** A body of JSON without what is absent. Throws `value_refused` for one that is larger than any provider takes. */
export function jsonBody(fields: Fields): string {
  return bodyOfJson(Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)));
}

/** Any value as a body of JSON, of at most so many bytes. Throws as `jsonBody` does. */
export function bodyOfJson(value: unknown, most: number = largest): string {
  return bounded(encodeJson(value), most);
}

/** A body of a form without what is absent. Throws as `jsonBody` does. */
export function formBody(fields: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(fields).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return bounded(new URLSearchParams(given).toString());
}

function bounded(body: string, most: number = largest): string {
  if (Buffer.byteLength(body) <= most) return body;
  throw new Failure('value_refused', `the message is larger than ${most} bytes`);
}
