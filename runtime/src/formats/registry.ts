import { Failure } from '../errors/failure.ts';

/** Formats that a flow or connector may name, and `form`, which only a Content-Type names. */
export type FormatName = 'json' | 'xml' | 'csv' | 'tsv' | 'form';

/** Turns text into values and back. */
export interface Codec {
  readonly name: FormatName;
  readonly contentType: string;
  decode(text: string): unknown;
  encode(value: unknown): string;
}

const json: Codec = {
  name: 'json',
  contentType: 'application/json; charset=utf-8',
  decode: (text) => JSON.parse(text),
  encode: (value) => JSON.stringify(value),
};

/** The codec of a format. */
export function codecOf(name: FormatName): Codec | Promise<Codec> {
  if (name === 'json') return json;
  throw new Failure('internal', `there is no format "${name}"`);
}

/** The format that a media type (`type/subtype` in lower case) means; undefined when none does. */
export function formatOf(mediaType: string): FormatName | undefined {
  return mediaType === 'application/json' || mediaType.endsWith('+json') ? 'json' : undefined;
}

/** Whether a configuration may write this format. */
export function isFormat(name: string): name is Exclude<FormatName, 'form'> {
  return name === 'json' || name === 'xml' || name === 'csv' || name === 'tsv';
}
