import { flag, list, oneOf } from '@svc/protocol/schema';

/** Formats that a flow, step or connector may name in `format`. */
export const formatNames = ['json', 'ndjson', 'xml', 'csv', 'tsv', 'excel'] as const;

/** Formats that a flow may name for what comes in: `binary` leaves the bytes as they are. */
export const incomingFormatNames = [...formatNames, 'binary'] as const;

/** Formats that bodies may come in: those that can be named, and forms, which only a Content-Type names. */
export const bodyFormatNames = [...formatNames, 'form'] as const;

export type FormatName = (typeof bodyFormatNames)[number] | 'binary';

/** Other words for formats. */
export const formatSynonyms = { jsonl: 'ndjson', xlsx: 'excel' } as const;

/** `format` where a connector is named that knows several codecs. */
export function format(doc: string) {
  return oneOf(doc, formatNames, { synonyms: formatSynonyms });
}

/** `format` in a `from`. */
export function incomingFormat(doc: string) {
  return oneOf(
    `${doc} \`binary\` leaves the bytes of what comes in as they are, and says nothing about the answer.`,
    incomingFormatNames,
    { synonyms: formatSynonyms },
  );
}

/** `body_formats` of a connector: the formats in which others may choose to send. */
export const bodyFormats = (doc: string) =>
  list(doc, oneOf('Format.', bodyFormatNames, { synonyms: formatSynonyms }), {
    default: ['json', 'form'],
    example: '["json", "xml"]',
  });

/** `escape_formulas` of a connector that writes tables. */
export const escapeFormulas = flag(
  "Write `'` before texts of CSV and TSV that a spreadsheet would run as a formula (those that begin with `=`, `+`, `-`, `@`, a tab or a line break; not numbers).",
  { default: true },
);
