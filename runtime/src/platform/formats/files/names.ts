/** Formats that files are read and written in. */
export const fileFormatNames = ['json', 'ndjson', 'csv', 'tsv', 'xml', 'excel', 'text', 'lines', 'binary'] as const;

/** Other words for them. */
export const fileFormatSynonyms = { jsonl: 'ndjson', txt: 'text', xlsx: 'excel' } as const;

export type FileFormatName = (typeof fileFormatNames)[number];

export function isFileFormat(name: string): name is FileFormatName {
  return (fileFormatNames as readonly string[]).includes(name);
}
