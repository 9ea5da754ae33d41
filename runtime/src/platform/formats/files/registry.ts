import type { FileFormat } from './file-format.ts';
import type { FileFormatName } from './names.ts';

/** Every format of files: the endings of its names, and what loads it when it is first asked for. */
const formats: Readonly<
  Record<FileFormatName, { readonly endings: readonly string[]; readonly load: () => Promise<FileFormat> }>
> = {
  json: { endings: ['json'], load: async () => (await import('./json.ts')).json },
  ndjson: { endings: ['ndjson', 'jsonl'], load: async () => (await import('./ndjson.ts')).ndjson },
  csv: { endings: ['csv'], load: async () => (await import('./table.ts')).csv },
  tsv: { endings: ['tsv', 'tab'], load: async () => (await import('./table.ts')).tsv },
  xml: { endings: ['xml'], load: async () => (await import('./xml.ts')).xml },
  // Files of the older format have the other ending; what they are is said when they are read.
  excel: { endings: ['xlsx', 'xls'], load: async () => (await import('./excel.ts')).excel },
  text: { endings: ['txt', 'log', 'md'], load: async () => (await import('./text.ts')).text },
  lines: { endings: [], load: async () => (await import('./lines.ts')).lines },
  binary: { endings: [], load: async () => (await import('./binary.ts')).binary },
};

const byEnding = new Map(
  Object.entries(formats).flatMap(([name, { endings }]) => endings.map((ending) => [ending, name as FileFormatName])),
);

export function fileFormatOf(name: FileFormatName): Promise<FileFormat> {
  return formats[name].load();
}

/** The format that the name of a file says; undefined when it says none. */
export function formatOfFile(name: string): FileFormatName | undefined {
  const [, ending] = /\.([A-Za-z]+)$/.exec(name) ?? [];
  return ending === undefined ? undefined : byEnding.get(ending.toLowerCase());
}
