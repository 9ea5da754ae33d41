/** Formats that files are read and written in. */
export const fileFormatNames = ['json', 'ndjson', 'csv', 'tsv', 'xml', 'text', 'lines', 'binary'] as const;

export type FileFormatName = (typeof fileFormatNames)[number];

export function isFileFormat(name: string): name is FileFormatName {
  return (fileFormatNames as readonly string[]).includes(name);
}
