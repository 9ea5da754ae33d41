import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { regularFile } from '../../../../foundation/disk/regular-file.ts';
import { Failure } from '../../../../foundation/errors/failure.ts';

/** One account of a file, as it is written. */
export interface ImportRecord {
  /** Where it is, for people: `line 3` or `item 2`. */
  readonly place: string;
  readonly fields: Readonly<Record<string, unknown>>;
  /** It has another number of fields than the header. */
  readonly isUneven?: boolean;
}

/** A JSON list is read whole; other files are read line by line, whatever their size. */
const mostJson = 64 * 1_024 * 1_024;
const longestRecord = 64 * 1_024;

/**
 * The records of a file: CSV whose first line is the header, a JSON list of objects, or one JSON object in each line, by
 * the ending of its name (`.csv`, `.json`, `.jsonl`, `.ndjson`). Throws a Failure that says where it cannot be read.
 */
export function recordsOf(path: string): AsyncIterable<ImportRecord> {
  const ending = /\.(csv|json|jsonl|ndjson)$/i.exec(path)?.[1]?.toLowerCase();
  if (ending === undefined) throw unreadable('its name does not end with .csv, .json, .jsonl or .ndjson');
  return ending === 'csv' ? csvRecords(path) : ending === 'json' ? jsonRecords(path) : lineRecords(path);
}

async function* csvRecords(path: string): AsyncGenerator<ImportRecord> {
  const { CsvError, parse } = await import('csv-parse');
  await sizeOf(path);
  const parser = parse({
    bom: true,
    columns: true,
    info: true,
    relax_column_count: true,
    skip_empty_lines: true,
    trim: true,
    max_record_size: longestRecord,
  });
  createReadStream(path)
    .on('error', (error) => parser.destroy(error))
    .pipe(parser);
  interface Parsed {
    readonly record: Record<string, string>;
    readonly info: { readonly lines: number; readonly invalid_field_length: number };
  }
  let uneven = 0;
  try {
    for await (const { record, info } of parser as AsyncIterable<Parsed>) {
      const isUneven = info.invalid_field_length > uneven;
      uneven = info.invalid_field_length;
      yield { place: `line ${info.lines}`, fields: isUneven ? {} : record, isUneven };
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error instanceof Failure ? error : unreadable(reasonOf(error), error);
    // The message of the parser would show a piece of the file.
    throw unreadable(`it is not CSV at line ${String(error['lines'])} (${error.code})`);
  }
}

async function* jsonRecords(path: string): AsyncGenerator<ImportRecord> {
  if ((await sizeOf(path)) > mostJson)
    throw unreadable('it is larger than 64 MiB; write one object in each line, in a file named .jsonl');
  let list: unknown;
  try {
    list = JSON.parse((await regularFile(path, mostJson)).toString('utf8').replace(/^\uFEFF/, ''));
  } catch (error) {
    // The message of the parser would show a piece of the file.
    throw unreadable(error instanceof SyntaxError ? 'it is not JSON' : reasonOf(error));
  }
  if (!Array.isArray(list)) throw unreadable('it is not a list of objects');
  for (const [index, item] of list.entries()) yield { place: `item ${index + 1}`, fields: fieldsOf(item) };
}

async function* lineRecords(path: string): AsyncGenerator<ImportRecord> {
  let number = 0;
  await sizeOf(path);
  for await (const line of createInterface({ input: createReadStream(path), crlfDelay: Number.POSITIVE_INFINITY })) {
    number += 1;
    if (line.trim() === '') continue;
    yield { place: `line ${number}`, fields: fieldsOf(parsed(line)) };
  }
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line.replace(/^\uFEFF/, ''));
  } catch {
    return undefined;
  }
}

/** Of what is not an object, no fields: it is refused as a record without an address. */
function fieldsOf(item: unknown): ImportRecord['fields'] {
  return typeof item === 'object' && item !== null && !Array.isArray(item) ? (item as ImportRecord['fields']) : {};
}

async function sizeOf(path: string): Promise<number> {
  try {
    const found = await stat(path);
    if (found.isFile()) return found.size;
  } catch (error) {
    throw unreadable(reasonOf(error), error);
  }
  throw unreadable('it is not a file');
}

function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT') return 'it does not exist';
  return message;
}

function unreadable(reason: string, cause?: unknown): Failure {
  return new Failure('body_undecodable', `the file cannot be read: ${reason}`, { cause });
}
