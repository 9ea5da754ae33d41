import type { DecodingBudget } from './budget.ts';
import { decodeCsv, encodeCsv } from './csv.ts';
import { decodeForm, encodeForm } from './form.ts';
import { bodyFormatNames, type FormatName, formatNames } from './format-spec.ts';
import { decodeJson, encodeJson } from './json.ts';

export type { FormatName } from './format-spec.ts';

/** Turns text into values and back, on the thread that asks. See `decode.ts` for bodies of any size. */
export interface Codec {
  readonly name: FormatName;
  readonly contentType: string;
  /**
   * Largest body in bytes that is decoded on the event loop: the worst document of this size takes at most half of 50 ms
   * (`budget.test.ts` has the shapes), larger ones are left to worker threads. Each codec has its own: native JSON is faster
   * than a parser written in JavaScript.
   */
  readonly inlineBytes: number;
  /** Throws a Failure `body_undecodable`, or `body_too_large` beyond the budget; default: that of messages. */
  decode(text: string, budget?: DecodingBudget): unknown;
  /** Throws a Failure for a value that would be written out of proportion. */
  encode(value: unknown, style?: EncodingStyle): string;
}

/** How values are written. */
export interface EncodingStyle {
  /** False: texts of a table that spreadsheets run as formulas stay as they are. */
  readonly escapeFormulas: boolean;
}

/** A format: its names in media types, and its codec. */
interface Format {
  readonly mediaTypes: readonly string[];
  /** Media types that end so are of this format (RFC 6839). */
  readonly suffix?: string;
  readonly load: () => Codec | Promise<Codec>;
}

/** Every codec of the product, one line each; what holds for all of them is tested over this table. */
const formats: Readonly<Record<FormatName, Format>> = {
  json: { mediaTypes: ['application/json', 'text/json'], suffix: '+json', load: () => json },
  xml: { mediaTypes: ['application/xml', 'text/xml'], suffix: '+xml', load: loadXml },
  csv: { mediaTypes: ['text/csv'], load: () => csv },
  tsv: { mediaTypes: ['text/tab-separated-values'], load: () => tsv },
  form: { mediaTypes: ['application/x-www-form-urlencoded'], load: () => form },
};

const json: Codec = {
  name: 'json',
  contentType: 'application/json; charset=utf-8',
  inlineBytes: 128 * 1024,
  decode: decodeJson,
  encode: encodeJson,
};

const form: Codec = {
  name: 'form',
  contentType: 'application/x-www-form-urlencoded; charset=utf-8',
  inlineBytes: 256 * 1024,
  decode: decodeForm,
  encode: (value) => encodeForm(value as Readonly<Record<string, unknown>>),
};

const csv = delimited('csv', 'text/csv', ',');
const tsv = delimited('tsv', 'text/tab-separated-values', '\t');

function delimited(name: 'csv' | 'tsv', contentType: string, delimiter: string): Codec {
  return {
    name,
    contentType: `${contentType}; charset=utf-8`,
    inlineBytes: 128 * 1024,
    decode: (text, budget) => decodeCsv(text, { delimiter }, budget),
    encode: (value, style) => encodeCsv(value, { delimiter }, style?.escapeFormulas ?? true),
  };
}

async function loadXml(): Promise<Codec> {
  const { decodeXml, encodeXml } = await import('./xml.ts');
  return {
    name: 'xml',
    contentType: 'application/xml; charset=utf-8',
    inlineBytes: 32 * 1024,
    decode: decodeXml,
    encode: (value) => encodeXml(value),
  };
}

/** The codec of a format. XML is loaded when it is first asked for; the others are at hand. */
export function codecOf(name: FormatName): Codec | Promise<Codec> {
  return formats[name].load();
}

/** The format that a media type (`type/subtype` in lower case) means; undefined when none does. */
export function formatOf(mediaType: string): FormatName | undefined {
  for (const name of bodyFormatNames) {
    const { mediaTypes, suffix } = formats[name];
    if (mediaTypes.includes(mediaType) || (suffix !== undefined && mediaType.endsWith(suffix))) return name;
  }
  return undefined;
}

/** Whether a configuration may write this format. */
export function isFormat(name: string): name is Exclude<FormatName, 'form'> {
  return (formatNames as readonly string[]).includes(name);
}
