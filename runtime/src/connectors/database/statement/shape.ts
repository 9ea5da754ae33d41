import type { Column } from './column.ts';
import type { InsertForm } from './insert-form.ts';

export type Fields = Readonly<Record<string, unknown>>;

/** How a filter compares: equals, IS NULL, or IN a list of so many elements. */
export type Comparison = '=' | 'null' | number;

export interface Slot {
  readonly name: string;
  readonly column: Column;
  readonly encode: (value: unknown) => unknown;
}

export interface FilterSlot extends Slot {
  readonly comparison: Comparison;
}

/** A statement text together with the exact names and comparisons that it was made for. */
export interface Shape {
  readonly payload: readonly string[];
  readonly filters: readonly string[];
  /** Of SELECT: fields that are read; undefined: all. */
  readonly asked: readonly string[] | undefined;
  readonly comparisons: readonly Comparison[];
  readonly text: string;
  readonly sets: readonly Slot[];
  readonly wheres: readonly FilterSlot[];
  readonly columns: readonly Column[];
  readonly stable: boolean;
  /** Of INSERT and UPSERT. */
  readonly form: InsertForm | undefined;
}

/** Whether the shape was made for exactly these names, in this order, with these comparisons. */
export function matches(shape: Shape, payload: Fields, filters: Fields, asked?: readonly string[]): boolean {
  if (shape.asked !== asked && shape.asked?.join() !== asked?.join()) return false;
  let index = 0;
  for (const name in payload) {
    if (payload[name] === undefined) continue;
    if (shape.payload[index++] !== name) return false;
  }
  if (index !== shape.payload.length) return false;
  index = 0;
  for (const name in filters) {
    const value = filters[name];
    if (value === undefined) continue;
    if (shape.filters[index] !== name || shape.comparisons[index] !== comparisonOf(value)) return false;
    index++;
  }
  return index === shape.filters.length;
}

export function comparisonOf(value: unknown): Comparison {
  if (value === null) return 'null';
  return Array.isArray(value) ? value.length : '=';
}

export function present(fields: Fields): string[] {
  return Object.keys(fields).filter((name) => fields[name] !== undefined);
}
