import { decodeCsv, encodeCsv } from './csv.ts';
import { decodeForm, encodeForm } from './form.ts';
import { decodeJson, encodeJson } from './json.ts';

/** Formats that a flow or connector may name, and `form`, which only a Content-Type names. */
export type FormatName = 'json' | 'xml' | 'csv' | 'tsv' | 'form';

/** Turns text into values and back. `decode` throws a Failure `body_undecodable`. */
export interface Codec {
  readonly name: FormatName;
  readonly contentType: string;
  decode(text: string): unknown;
  encode(value: unknown): string;
}

const json: Codec = {
  name: 'json',
  contentType: 'application/json; charset=utf-8',
  decode: (text) => decodeJson(text),
  encode: encodeJson,
};

const form: Codec = {
  name: 'form',
  contentType: 'application/x-www-form-urlencoded; charset=utf-8',
  decode: decodeForm,
  encode: (value) => encodeForm(value as Readonly<Record<string, unknown>>),
};

const delimited = (name: 'csv' | 'tsv', contentType: string, delimiter: string): Codec => ({
  name,
  contentType: `${contentType}; charset=utf-8`,
  decode: (text) => decodeCsv(text, { delimiter }),
  encode: (value) => encodeCsv(value, { delimiter }),
});

/** The codec of a format. XML is loaded when it is first asked for; the others are at hand. */
export function codecOf(name: FormatName): Codec | Promise<Codec> {
  switch (name) {
    case 'json':
      return json;
    case 'form':
      return form;
    case 'csv':
      return delimited('csv', 'text/csv', ',');
    case 'tsv':
      return delimited('tsv', 'text/tab-separated-values', '\t');
    case 'xml':
      return import('./xml.ts').then(({ decodeXml, encodeXml }) => ({
        name: 'xml',
        contentType: 'application/xml; charset=utf-8',
        decode: decodeXml,
        encode: (value) => encodeXml(value),
      }));
  }
}

/** The format that a media type (`type/subtype` in lower case) means; undefined when none does (supplement 3.22). */
export function formatOf(mediaType: string): FormatName | undefined {
  switch (mediaType) {
    case 'application/json':
    case 'text/json':
      return 'json';
    case 'application/xml':
    case 'text/xml':
      return 'xml';
    case 'text/csv':
      return 'csv';
    case 'text/tab-separated-values':
      return 'tsv';
    case 'application/x-www-form-urlencoded':
      return 'form';
  }
  if (mediaType.endsWith('+json')) return 'json';
  return mediaType.endsWith('+xml') ? 'xml' : undefined;
}

/** Whether a configuration may write this format. */
export function isFormat(name: string): name is Exclude<FormatName, 'form'> {
  return name === 'json' || name === 'xml' || name === 'csv' || name === 'tsv';
}
