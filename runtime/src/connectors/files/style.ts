import { Failure } from '../../foundation/errors/failure.ts';
import type { TableStyle } from '../../platform/formats/files/file-format.ts';
import { type FileFormatName, fileFormatNames, fileFormatSynonyms } from '../../platform/formats/files/names.ts';

/** What a call says of the form of a file, each of it absent where it says nothing. */
export interface Style extends TableStyle {
  readonly format?: FileFormatName | undefined;
}

/** Words for delimiters that are hard to see. */
const delimiters: Readonly<Record<string, string>> = { tab: '\t', '\\t': '\t', semicolon: ';', pipe: '|', comma: ',' };

/** Other names of formats. */
const formatSynonyms: Readonly<Record<string, FileFormatName>> = fileFormatSynonyms;

type Read = (value: unknown) => unknown;

/** How the parameters of a style are read; undefined for a value that is not one. */
const readers: Readonly<Record<string, { readonly key: keyof Style; readonly read: Read; readonly says: string }>> = {
  format: { key: 'format', read: formatOf, says: `must be one of ${fileFormatNames.join(', ')}` },
  delimiter: { key: 'delimiter', read: delimiterOf, says: 'must be one character, or tab, semicolon or pipe' },
  comment: { key: 'comment', read: textOf, says: 'must be a text that is not empty' },
  no_header: { key: 'noHeader', read: flagOf, says: 'must be true or false' },
  trim_space: { key: 'trimSpace', read: flagOf, says: 'must be true or false' },
  skip_rows: { key: 'skipRows', read: countOf, says: 'must be a whole number from 0 to 1000000' },
  columns: { key: 'columns', read: columnsOf, says: 'must be a list of different names' },
  sheet: { key: 'sheet', read: textOf, says: 'must be a text that is not empty' },
};

/** Why a value of a parameter of styles is refused; undefined also for other parameters. */
export function styleProblem(name: string, value: unknown): string | undefined {
  const reader = Object.hasOwn(readers, name) ? readers[name] : undefined;
  return reader === undefined || reader.read(value) !== undefined ? undefined : reader.says;
}

/** The style that the parameters of a message say, over that of the configuration. Throws `parameters_invalid`. */
export function styleIn(params: Readonly<Record<string, unknown>> | undefined, over: Style): Style {
  if (params === undefined) return over;
  let style: Record<string, unknown> | undefined;
  for (const [name, { key, read, says }] of Object.entries(readers)) {
    const value = params[name];
    if (value === undefined || value === null) continue;
    const given = read(value);
    if (given === undefined) throw refusedParameter(name, says);
    style ??= { ...over };
    style[key] = given;
  }
  return style ?? over;
}

/** A parameter that is a text; undefined where it is absent. Throws `parameters_invalid`. */
export function textParameter(params: Readonly<Record<string, unknown>>, name: string): string | undefined {
  const value = params[name];
  if (value === undefined || value === null) return undefined;
  const text = textOf(value);
  if (text === undefined) throw refusedParameter(name, 'must be a text that is not empty');
  return text;
}

/** A parameter that is true or false. Throws `parameters_invalid`. */
export function flagParameter(params: Readonly<Record<string, unknown>>, name: string, absent = false): boolean {
  const value = params[name] ?? absent;
  if (typeof value === 'boolean') return value;
  throw refusedParameter(name, 'must be true or false');
}

export function refusedParameter(field: string, message: string): Failure {
  const fields = [{ field, code: 'type_mismatch', message }];
  return new Failure('parameters_invalid', `the parameter "${field}" ${message}`, { fields });
}

/** The delimiter that a word or a character means. */
export function delimiterOf(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  const word = value.toLowerCase();
  if (Object.hasOwn(delimiters, word)) return delimiters[word];
  return [...value].length === 1 && !/["\r\n\0]/.test(value) ? value : undefined;
}

function formatOf(value: unknown): FileFormatName | undefined {
  const word = typeof value === 'string' ? value.trim().toLowerCase() : '';
  if (Object.hasOwn(formatSynonyms, word)) return formatSynonyms[word];
  return fileFormatNames.find((name) => name === word);
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function flagOf(value: unknown): boolean | undefined {
  return typeof value === 'boolean' ? value : undefined;
}

function countOf(value: unknown): number | undefined {
  const number = typeof value === 'bigint' ? Number(value) : value;
  return Number.isInteger(number) && (number as number) >= 0 && (number as number) <= 1_000_000
    ? (number as number)
    : undefined;
}

function columnsOf(value: unknown): readonly string[] | undefined {
  if (!Array.isArray(value) || value.length === 0 || new Set(value).size < value.length) return undefined;
  return value.every((name) => typeof name === 'string' && name !== '') ? (value as string[]) : undefined;
}
