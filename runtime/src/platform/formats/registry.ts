import { Failure } from '../../foundation/errors/failure.ts';
import type { BodyForm, DecodingBudget } from './budget.ts';
import { decodeForm, encodeForm } from './form.ts';
import { bodyFormatNames, type FormatName, incomingFormatNames } from './format-spec.ts';
import { decodeJson, encodeJson } from './json.ts';
import { itemsOf, rowOf } from './records.ts';
import { textOf } from './text.ts';
import { isLarge } from './turns.ts';

export type { FormatName } from './format-spec.ts';

/** Turns bytes into values and back, on the thread that asks. See `decode.ts` for bodies of any size. */
export interface Codec {
  readonly name: FormatName;
  readonly contentType: string;
  /**
   * Largest body in bytes that is decoded on the event loop: the worst document of this size takes at most half of 50 ms
   * (`budget.test.ts` has the shapes), larger ones are left to worker threads. Each codec has its own: a parser
   * written in JavaScript is slow, and so is JSON whose numbers have to be kept exactly. -1: none, since how much it inflates
   * to is not known before.
   */
  readonly inlineBytes: number;
  /**
   * Throws a Failure `body_undecodable`, or `body_too_large` beyond the budget; default: that of messages. A codec that
   * decodes nothing on the event loop may give a promise.
   */
  decode(bytes: Uint8Array, form?: BodyForm): unknown;
  /** Text or bytes, by the format. Throws a Failure for a value whose text would be disproportionately large. */
  encode(value: unknown, style?: EncodingStyle): string | Uint8Array;
  /**
   * The same piece by piece, with turns for the event loop between them, of a value that `encode` would hold it for;
   * undefined of another one. Absent: the format is written by the engine, which has no turns. What cannot be written is thrown
   * in place of the first piece, where anything can be known then. See `encode.ts` for a body as a whole.
   */
  pieces?(value: unknown, style?: EncodingStyle): AsyncIterable<Uint8Array> | undefined;
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

const excelType = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';

/** Every codec of the product, one line each; what holds for all of them is tested over this table. */
const formats: Readonly<Record<FormatName, Format>> = {
  json: { mediaTypes: ['application/json', 'text/json'], suffix: '+json', load: () => json },
  xml: { mediaTypes: ['application/xml', 'text/xml'], suffix: '+xml', load: loadXml },
  ndjson: {
    mediaTypes: ['application/x-ndjson', 'application/ndjson', 'application/jsonl', 'application/x-jsonlines'],
    load: loadNdjson,
  },
  csv: { mediaTypes: ['text/csv'], load: () => loadTable('csv', 'text/csv', ',') },
  tsv: { mediaTypes: ['text/tab-separated-values'], load: () => loadTable('tsv', 'text/tab-separated-values', '\t') },
  excel: { mediaTypes: [excelType], load: loadExcel },
  binary: { mediaTypes: [], load: () => binary },
  form: { mediaTypes: ['application/x-www-form-urlencoded'], load: () => form },
};

/** For parsers that work on a text as a whole. */
function overText(decode: (text: string, budget?: DecodingBudget) => unknown): Codec['decode'] {
  return (bytes, { charset, budget } = {}) => decode(textOf(bytes, charset), budget);
}

/** The codec that needs no library. */
export const json: Codec = {
  name: 'json',
  contentType: 'application/json; charset=utf-8',
  inlineBytes: 32 * 1024,
  decode: (bytes, { charset, budget, doubles } = {}) => decodeJson(textOf(bytes, charset), budget, doubles),
  encode: encodeJson,
};

const form: Codec = {
  name: 'form',
  contentType: 'application/x-www-form-urlencoded; charset=utf-8',
  inlineBytes: 256 * 1024,
  decode: overText(decodeForm),
  encode: (value) => encodeForm(value as Readonly<Record<string, unknown>>),
};

/** Bytes as they are. Only input has this format: output names its bytes (`_binary`). */
const binary: Codec = {
  name: 'binary',
  contentType: 'application/octet-stream',
  inlineBytes: Number.POSITIVE_INFINITY,
  // A copy: the memory that holds a chunk of a socket holds others too.
  decode: (bytes) => Uint8Array.from(bytes),
  encode: (value) => {
    if (value instanceof Uint8Array) return value;
    throw new Failure('output_invalid', 'a value other than bytes cannot be written as bytes');
  },
};

async function loadTable(name: 'csv' | 'tsv', contentType: string, delimiter: string): Promise<Codec> {
  const [{ decodeTable }, { encodeTable, tablePieces }] = await Promise.all([
    import('./table-decoder.ts'),
    import('./table-encoder.ts'),
  ]);
  return {
    name,
    contentType: `${contentType}; charset=utf-8`,
    inlineBytes: 32 * 1024,
    decode: (bytes, form) => decodeTable(bytes, { delimiter }, form),
    encode: (value, style) => encodeTable(value, { delimiter }, style?.escapeFormulas ?? true),
    pieces: (value, style) => tablePieces(value, { delimiter }, style?.escapeFormulas ?? true),
  };
}

async function loadXml(): Promise<Codec> {
  const [{ decodeXml }, { encodeXml, xmlPieces }] = await Promise.all([
    import('./xml/decode.ts'),
    import('./xml/encode.ts'),
  ]);
  return {
    name: 'xml',
    contentType: 'application/xml; charset=utf-8',
    inlineBytes: 32 * 1024,
    decode: decodeXml,
    encode: (value) => encodeXml(value),
    pieces: (value) => (isLarge(value) ? xmlPieces(value) : undefined),
  };
}

async function loadNdjson(): Promise<Codec> {
  const { decodeNdjson, encodeNdjson } = await import('./ndjson.ts');
  return {
    name: 'ndjson',
    contentType: 'application/x-ndjson; charset=utf-8',
    inlineBytes: 32 * 1024,
    decode: overText(decodeNdjson),
    encode: encodeNdjson,
  };
}

async function loadExcel(): Promise<Codec> {
  const [{ decodeExcel }, { encodeExcel, checkedExcel }] = await Promise.all([
    import('./excel/decode.ts'),
    import('./excel/encode.ts'),
  ]);
  return {
    name: 'excel',
    contentType: excelType,
    inlineBytes: -1,
    decode: decodeExcel,
    encode: (value) => encodeExcel(itemsOf(value).map(rowOf)),
    pieces: (value) => (isLarge(value) ? checkedExcel(itemsOf(value)) : undefined),
  };
}

/** The codec of a format. Those that need a library are loaded when they are first asked for; the others are always loaded. */
export function codecOf(name: FormatName): Codec | Promise<Codec> {
  return formats[name].load();
}

/** The format that a media type (`type/subtype` in lower case) means; undefined when no format does. */
export function formatOf(mediaType: string): FormatName | undefined {
  for (const name of bodyFormatNames) {
    const { mediaTypes, suffix } = formats[name];
    if (mediaTypes.includes(mediaType) || (suffix !== undefined && mediaType.endsWith(suffix))) return name;
  }
  return undefined;
}

/** The media types that mean a format, the usual one first. */
export function mediaTypesOf(name: FormatName): readonly string[] {
  return formats[name].mediaTypes;
}

/** Whether documents of a format are text. */
export function isTextFormat(name: FormatName): boolean {
  return name !== 'excel' && name !== 'binary';
}

/** Whether a configuration may write this format. */
export function isFormat(name: string): name is Exclude<FormatName, 'form'> {
  return (incomingFormatNames as readonly string[]).includes(name);
}
