import type { DatabaseSync } from 'node:sqlite';
import { systemClock } from '../../../foundation/observe/clock.ts';

/** What is slow on the event loop, and what is so slow that it must not happen there again; milliseconds. */
const slow = 10;
const verySlow = 100;
/** Slow once in so many executions is what a busy machine does to any statement. */
const seldom = 100;
/** How long a statement that was slow repeatedly is read elsewhere; milliseconds. */
const probation = 10 * 60_000;
/** One pass through a database of this size takes a few milliseconds; bytes. */
const small = 1024 * 1024;
/** Texts whose cost is remembered; the oldest makes room. */
const kept = 500;

/** What is known of the time that a statement takes. */
export class Cost {
  private isLongForGood: boolean;
  private longUntil = 0;
  private sinceSlow = seldom;

  /** `isLong`: it is by its plan, however quick it may be. */
  constructor(isLong: boolean) {
    this.isLongForGood = isLong;
  }

  /** It is not to run on the event loop. */
  get isLong(): boolean {
    return this.isLongForGood || (this.longUntil > 0 && systemClock.elapsed() < this.longUntil);
  }

  /** Notes how many milliseconds one execution took there. */
  measure(milliseconds: number): void {
    if (milliseconds <= slow) {
      this.sinceSlow++;
      return;
    }
    if (milliseconds > verySlow) this.isLongForGood = true;
    else if (this.sinceSlow < seldom) this.longUntil = systemClock.elapsed() + probation;
    this.sinceSlow = 0;
  }
}

/**
 * Decides where statements that read run: by the plan that SQLite has for them, then by the time they take. A look-up of
 * one row by its key has no cost: it is not even measured.
 */
export class Costs {
  private readonly database: DatabaseSync;
  private readonly known = new Map<string, Cost | undefined>();

  constructor(database: DatabaseSync) {
    this.database = database;
  }

  of(text: string): Cost | undefined {
    if (this.known.has(text)) return this.known.get(text);
    const cost = this.estimate(text);
    if (this.known.size >= kept) this.known.delete(this.known.keys().next().value as string);
    this.known.set(text, cost);
    return cost;
  }

  /** Tables and indexes may have changed. */
  forget(): void {
    this.known.clear();
  }

  private estimate(text: string): Cost | undefined {
    // These answer for the connection that wrote, and what only it has cannot be read by another one.
    if (/\b(last_insert_rowid|changes|total_changes)\s*\(/i.test(text) || this.hasOwnTables()) return undefined;
    const plan = this.plan(text);
    if (
      plan === undefined ||
      (plan.length === 1 && /^SEARCH \S+ USING INTEGER PRIMARY KEY \(rowid=\?\)$/.test(plan[0] ?? ''))
    )
      return undefined;
    return new Cost(this.isLong(plan, text));
  }

  private isLong(plan: readonly string[], text: string): boolean {
    if (plan.some((step) => step.startsWith('RECURSIVE'))) return true;
    const scans = plan.filter((step) => /^SCAN (?!CONSTANT ROW)/.test(step) && !step.includes('VIRTUAL TABLE')).length;
    if (scans === 0) return false;
    // Nested passes take the product of the sizes.
    if (scans > 1) return true;
    return this.size() > small && !isPage(plan, text);
  }

  /** What SQLite does step by step; undefined for a statement that has no plan, such as EXPLAIN. */
  private plan(text: string): readonly string[] | undefined {
    try {
      const steps = this.database.prepare(`EXPLAIN QUERY PLAN ${text}`).all();
      return steps.map(({ detail }) => String(detail));
    } catch {
      return undefined;
    }
  }

  /** Bytes of the database file. */
  private size(): number {
    const found = this.database.prepare(
      'SELECT page_count * page_size AS size FROM pragma_page_count, pragma_page_size',
    );
    return Number(found.get()?.['size']);
  }

  /** Whether the connection has temporary tables or attached databases. */
  private hasOwnTables(): boolean {
    return this.database.prepare("SELECT 1 FROM pragma_database_list WHERE name <> 'main'").get() !== undefined;
  }
}

/** Takes the first rows of a table as they come, however many follow: nothing is computed, compared, sorted or skipped. */
function isPage(plan: readonly string[], text: string): boolean {
  return (
    plan.length === 1 &&
    /\blimit\b/i.test(text) &&
    !/\(|\b(where|having|group|distinct|offset|limit\s+[^;]*,)\b/i.test(text)
  );
}
