import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { Worker } from 'node:worker_threads';
import { fileAt } from './file.ts';
import { answerLimits, type ReaderAnswer, type ReaderTask } from './reader-messages.ts';
import { conversionFor } from './values.ts';

/**
 * The program of a process that reads a database: a task, then `next` for each further piece of its rows. It is a
 * process because Node has no means to interrupt SQLite, and a thread ends only when SQLite has answered.
 */
const [path = '', identity = ''] = process.argv.slice(2);
/** How long a statement waits inside SQLite for a lock; milliseconds. Readers need one only while the log is recovered. */
const lockTimeout = 5000;
const state: { database: DatabaseSync | undefined; pieces: Iterator<ReaderAnswer> | undefined } = {
  database: undefined,
  pieces: undefined,
};

process.on('message', (message: ReaderTask | 'next') => {
  try {
    if (message !== 'next') state.pieces = answer(message);
    const next = state.pieces?.next();
    if (next?.done === false) process.send?.(next.value);
  } catch (error) {
    const { message, errcode } = error as Error & { readonly errcode?: number };
    process.send?.({ message, errcode: errcode ?? 0 } satisfies ReaderAnswer);
  }
});
process.on('disconnect', () => process.exit());
// Signals for the whole group of processes are for the service, which lets its statements finish.
process.on('SIGINT', () => undefined);
process.on('SIGTERM', () => undefined);
// While SQLite works, this thread does not notice that the service died.
new Worker(`setInterval(() => { if (process.ppid !== ${process.ppid}) process.kill(process.pid, 'SIGKILL') }, 1000)`, {
  eval: true,
}).unref();

function* answer({ text, values, exact }: ReaderTask): Generator<ReaderAnswer> {
  const database = opened();
  if (database === undefined) return yield { problem: 'replaced' };
  const statement = database.prepare(text, { readBigInts: true, returnArrays: true });
  // The names of the columns are read with the first row, when SQLite has compared the statement with the tables.
  let conversion: ReturnType<typeof conversionFor> | undefined;
  let piece: unknown[][] = [];
  let bytes = 0;
  let all = 0;
  for (const row of statement.iterate(...(values as SQLInputValue[])) as Iterable<unknown>) {
    piece.push(row as unknown[]);
    bytes += sizeOf(row as unknown[]);
    if (bytes < answerLimits.piece && piece.length < answerLimits.pieceRows) continue;
    all += bytes;
    if (all > answerLimits.all) return yield { problem: 'too large' };
    conversion ??= conversionFor(statement, !exact, exact);
    yield { rows: conversion.rows(piece), last: false };
    piece = [];
    bytes = 0;
  }
  conversion ??= conversionFor(statement, !exact, exact);
  yield { rows: conversion.rows(piece), last: true };
}

/** The database, or undefined when another file has taken its place. */
function opened(): DatabaseSync | undefined {
  if (state.database !== undefined) return state.database;
  const database = new DatabaseSync(path, {
    readOnly: true,
    timeout: lockTimeout,
    enableDoubleQuotedStringLiterals: false,
  });
  if (fileAt(path)?.identity !== identity) {
    database.close();
    return undefined;
  }
  state.database = database;
  return database;
}

/** Bytes of the values of a row, about. */
function sizeOf(row: readonly unknown[]): number {
  let size = 0;
  for (const value of row) {
    if (typeof value === 'string' || value instanceof Uint8Array) size += value.length;
    size += 16;
  }
  return size;
}
