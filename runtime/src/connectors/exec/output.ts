import { asFailure } from '../../foundation/errors/classify.ts';
import { Failure } from '../../foundation/errors/failure.ts';
import { answerBudget } from '../../platform/formats/budget.ts';
import { decodeBody } from '../../platform/formats/decode.ts';
import { json } from '../../platform/formats/registry.ts';
import { textOf } from '../../platform/formats/text.ts';

type Row = Readonly<Record<string, unknown>>;

/** How the standard output of a program is read, a file aside. */
export type OutputFormat = 'json' | 'text' | 'lines';

/**
 * The rows of an output: none when it is empty. Rejects with `connector_failed` when it is not UTF-8, or decodes to more
 * than an answer may. `exact`: numbers of lines are bigint.
 */
export async function rowsOf(bytes: Uint8Array, format: OutputFormat, exact: boolean): Promise<readonly Row[]> {
  if (bytes.length === 0) return [];
  try {
    if (format === 'json') return await jsonRows(bytes);
    const text = textOf(bytes);
    return format === 'text' ? [{ output: text }] : lineRows(text, exact);
  } catch (error) {
    const { code, message } = asFailure(error);
    const reason = code === 'body_undecodable' ? `${message}; output_format = "binary" takes any bytes` : message;
    throw new Failure('connector_failed', `the output of the command cannot be used: ${reason}`, {
      cause: error,
      retriable: code === 'overloaded',
    });
  }
}

async function jsonRows(bytes: Uint8Array): Promise<readonly Row[]> {
  let value: unknown;
  try {
    value = await decodeBody(json, bytes, { budget: answerBudget });
  } catch (error) {
    if (asFailure(error).code !== 'body_undecodable') throw error;
    return [{ output: textOf(bytes) }];
  }
  if (isRow(value)) return [value];
  return Array.isArray(value) && value.every(isRow) ? value : [{ value }];
}

/** Lines that are not empty, with their number among all, from 1. */
function lineRows(text: string, exact: boolean): readonly Row[] {
  const rows: Row[] = [];
  let line = 0;
  for (const written of text.split('\n')) {
    line++;
    const value = written.endsWith('\r') ? written.slice(0, -1) : written;
    if (value !== '') rows.push({ line: exact ? BigInt(line) : line, value });
    if (rows.length > answerBudget.keys)
      throw new Failure('body_too_large', `it has more than ${answerBudget.keys} lines`);
  }
  return rows;
}

function isRow(value: unknown): value is Row {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
