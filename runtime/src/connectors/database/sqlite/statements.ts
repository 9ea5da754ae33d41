import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import type { CallResult } from '../../../foundation/contracts/call-result.ts';
import { systemClock } from '../../../foundation/observe/clock.ts';
import type { Bound } from '../statement/bound.ts';
import type { StatementKind } from '../statement/kind.ts';
import { type Cost, Costs } from './cost.ts';
import { conversionFor, type RowConversion, shrink } from './values.ts';

/** Prepared statements that are kept for each kind of caller; the oldest makes room. */
const kept = 500;
/** The same of those that write many rows. */
const keptWriters = 32;

export interface Prepared {
  readonly statement: StatementSync;
  /** Integers are read as bigint, whatever the caller wants to have. */
  readonly bigints: boolean;
  readonly answersRows: boolean;
  /** Of a statement that could be read elsewhere when it takes long; undefined for all others. */
  readonly cost: Cost | undefined;
  conversion: RowConversion;
}

/** Runs statements on one connection and keeps them prepared by their text. */
export class Statements {
  private readonly database: DatabaseSync;
  private readonly costs: Costs | undefined;
  private readonly exact = new Map<string, Prepared>();
  private readonly narrow = new Map<string, Prepared>();
  private readonly writers = new Map<string, StatementSync>();

  /** `hasReaders`: statements can be read elsewhere, so that their cost matters. */
  constructor(database: DatabaseSync, hasReaders: boolean) {
    this.database = database;
    this.costs = hasReaders ? new Costs(database) : undefined;
  }

  /** Throws what node:sqlite throws. */
  run(prepared: Prepared, bound: Bound, kind: StatementKind, exact: boolean): CallResult {
    const { cost } = prepared;
    if (cost === undefined) return this.answer(prepared, bound, kind, exact);
    const begun = systemClock.reading();
    try {
      return this.answer(prepared, bound, kind, exact);
    } finally {
      cost.measure(systemClock.since(begun));
    }
  }

  /** Runs a statement that writes many rows; answers how many it changed. */
  runMany(text: string, values: readonly unknown[]): number {
    return this.writer(text).run(...(values as SQLInputValue[])).changes as number;
  }

  /** The counts of what it does are numbers, which cost less than bigints. */
  private writer(text: string): StatementSync {
    let statement = this.writers.get(text);
    if (statement === undefined) {
      statement = this.database.prepare(text);
      if (this.writers.size >= keptWriters) this.writers.delete(this.writers.keys().next().value as string);
      this.writers.set(text, statement);
    }
    return statement;
  }

  private answer(prepared: Prepared, bound: Bound, kind: StatementKind, exact: boolean): CallResult {
    const values = bound.values as SQLInputValue[];
    if (prepared.answersRows) {
      const rows = this.rows(prepared, bound, values, exact, kind);
      return kind.reads ? { rows } : { rows, affected: rows.length };
    }
    const { changes, lastInsertRowid } = prepared.statement.run(...values);
    if (kind.changesSchema) this.forget();
    const affected = Number(changes);
    // What a statement did not make itself is the number of a row of an earlier one.
    if (!kind.inserts || affected === 0) return { affected };
    return { affected, id: exact ? lastInsertRowid : shrink(lastInsertRowid as bigint) };
  }

  /** Tables may have changed: statements are prepared again, with the types their columns have now. */
  forget(): void {
    this.exact.clear();
    this.narrow.clear();
    this.writers.clear();
    this.costs?.forget();
  }

  private rows(
    prepared: Prepared,
    bound: Bound,
    values: SQLInputValue[],
    exact: boolean,
    kind: StatementKind,
  ): Record<string, unknown>[] {
    let used = prepared;
    let arrays: readonly unknown[][];
    try {
      arrays = all(used.statement, values);
    } catch (error) {
      // An integer beyond 2^53. Only statements that change nothing are read as numbers, so this one can be run again.
      if (!(error instanceof RangeError) || used.bigints) throw error;
      used = this.prepare(bound, kind, true, exact);
      arrays = all(used.statement, values);
    }
    // SELECT * gives other columns than it was prepared with after the table changed.
    if (arrays.length > 0 && arrays[0]?.length !== used.conversion.width) {
      used.conversion = conversionFor(used.statement, used.bigints && !exact, exact);
    }
    if (kind.changesSchema) this.forget();
    return used.conversion.rows(arrays);
  }

  /** The statement as it is kept, or prepared now. Throws what node:sqlite throws. */
  prepared(bound: Bound, kind: StatementKind, exact: boolean): Prepared {
    // Plain reads are tried with numbers, which is faster; a write cannot be repeated when a number does not hold it.
    return (exact ? this.exact : this.narrow).get(bound.text) ?? this.prepare(bound, kind, exact || !kind.reads, exact);
  }

  private prepare(bound: Bound, kind: StatementKind, bigints: boolean, exact: boolean): Prepared {
    const statement = this.database.prepare(bound.text, { readBigInts: bigints, returnArrays: true });
    const conversion = conversionFor(statement, bigints && !exact, exact);
    const cost = kind.reads ? this.costs?.of(bound.text) : undefined;
    const prepared = { statement, bigints, answersRows: conversion.width > 0, cost, conversion };
    if (bound.stable) {
      const cache = exact ? this.exact : this.narrow;
      if (cache.size >= kept && !cache.has(bound.text)) cache.delete(cache.keys().next().value as string);
      cache.set(bound.text, prepared);
    }
    return prepared;
  }
}

/** Rows as arrays: node:sqlite makes those much faster than objects. */
function all(statement: StatementSync, values: readonly SQLInputValue[]): readonly unknown[][] {
  return statement.all(...values) as unknown as readonly unknown[][];
}
