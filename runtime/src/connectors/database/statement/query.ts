import { Failure } from '../../../foundation/errors/failure.ts';
import type { Bound } from './bound.ts';
import { type Comparison, comparisonsIn } from './comparisons.ts';
import { type Dialect, ValueRefused } from './dialect.ts';
import { kindOf, type StatementKind } from './kind.ts';
import { type Piece, type Position, scan } from './scanner.ts';
import { type StatementPlace, sessionProblem } from './session.ts';

/** Answers the value of a name; undefined means that the message has no such name. */
export type Lookup = (name: string) => unknown;

type Placeholder = Exclude<Piece, { kind: 'text' | 'operator' | 'foreign' }>;

/** A statement that an author wrote, taken apart once and bound for each message. */
export class Query {
  readonly kind: StatementKind;
  /** Parameters with a name that are the value of a column, and those of a list. */
  readonly comparisons: readonly Comparison[];
  readonly listComparisons: readonly Comparison[];
  private readonly dialect: Dialect;
  private readonly pieces: readonly Piece[];
  /** Names in written order; the text that goes with them when no list has to be spread. */
  private readonly names: readonly string[];
  private readonly namedText: string;
  private readonly spreads: boolean;
  /** What is wrong with the statement, whatever the message. */
  private readonly problem: string | undefined;
  /** What is wrong with it when parameters come by name. */
  private readonly namedProblem: string | undefined;
  /** Where the statement is written, for messages. */
  private readonly where: string;

  constructor(source: string, dialect: Dialect, where: string, place: StatementPlace = 'alone') {
    const scanned = scan(source, dialect.lexis);
    this.dialect = dialect;
    this.where = where;
    this.pieces = scanned.pieces;
    this.kind = kindOf(scanned, dialect.session);
    const comparisons = comparisonsIn(scanned.pieces, dialect.lexis);
    this.comparisons = comparisons.filter(({ parameter }) => typeof parameter === 'string');
    this.listComparisons = comparisons.filter(({ parameter }) => typeof parameter === 'number');
    const named = scanned.pieces.filter((piece) => piece.kind === 'named');
    this.names = named.map((piece) => piece.name);
    this.spreads = named.some((piece) => piece.position !== 'value');
    let number = 0;
    this.namedText = scanned.pieces
      .map((piece) => (piece.kind === 'named' ? dialect.placeholder(++number) : piece.text))
      .join('');
    this.problem = problemOf(scanned) ?? sessionProblem(scanned, dialect.session, place);
    this.namedProblem = namedProblemOf(scanned.pieces, dialect);
  }

  /**
   * Binds parameters by name. Throws a Failure that names the parameter the message lacks; `isSent` says that the
   * sender of the message could have sent the parameter too.
   */
  bind(lookup: Lookup, isSent = false): Bound {
    if (this.problem !== undefined || this.namedProblem !== undefined) this.refuse();
    const values: unknown[] = new Array(this.names.length);
    let stable = true;
    for (let index = 0; index < values.length; index++) {
      const name = this.names[index] as string;
      const value = lookup(name);
      if (value === undefined) throw isSent ? leftOut(name) : this.missing(`:${name}`, `the message has no "${name}"`);
      if (this.spreads && Array.isArray(value)) stable = false;
      values[index] = value;
    }
    if (!stable) return this.spread((piece, number) => (piece.kind === 'named' ? values[number] : undefined));
    for (let index = 0; index < values.length; index++) {
      values[index] = this.encode(values[index], this.names[index] as string);
    }
    return { text: this.namedText, values, stable: true };
  }

  /** Binds a list to `?` placeholders, or to `?1` and `$1`. */
  bindList(list: readonly unknown[]): Bound {
    if (this.problem !== undefined) this.refuse();
    const used = new Set<number>();
    let next = 0;
    const bound = this.spread((piece) => {
      if (piece.kind === 'named') throw this.missing(piece.text, 'its parameters are a list; use `?` or write a map');
      const index = piece.kind === 'indexed' ? piece.index - 1 : next++;
      used.add(index);
      if (index >= list.length || index < 0) {
        throw this.missing(`parameter ${index + 1}`, `the list of parameters has ${list.length}`);
      }
      return list[index];
    }, true);
    if (used.size < list.length) {
      throw this.failure(`the list of parameters has ${list.length} values, and the query uses ${used.size} of them`);
    }
    return bound;
  }

  private spread(valueFor: (piece: Placeholder, number: number) => unknown, positional = false): Bound {
    const values: unknown[] = [];
    let text = '';
    let number = 0;
    const add = (value: unknown, name: string) => {
      values.push(this.encode(value, name));
      return this.dialect.placeholder(values.length);
    };
    for (const piece of this.pieces) {
      if (piece.kind === 'operator') text += positional ? '?' : piece.text;
      else if (piece.kind === 'text' || piece.kind === 'foreign' || (!positional && piece.kind !== 'named')) {
        text += piece.text;
      } else {
        const value = valueFor(piece, number++);
        const name = piece.kind === 'named' ? piece.name : `${number}`;
        text += Array.isArray(value) ? this.listText(value, name, piece.position, values, add) : add(value, name);
      }
    }
    if (values.length > this.dialect.maxParameters) {
      throw new Failure(
        'value_refused',
        `${this.where}: a list has more elements than a statement can carry (${this.dialect.maxParameters})`,
      );
    }
    return { text, values, stable: false };
  }

  private listText(
    list: readonly unknown[],
    name: string,
    position: Position,
    values: unknown[],
    add: (value: unknown, name: string) => string,
  ): string {
    if (position === 'in') return list.length === 0 ? 'NULL' : list.map((value) => add(value, name)).join(', ');
    if (position === 'value') return add(list, name);
    values.push(this.dialect.encodeList(list));
    return this.dialect.placeholder(values.length);
  }

  private encode(value: unknown, name: string): unknown {
    if (typeof value === 'string' || value === null) return value;
    try {
      return this.dialect.encode(value);
    } catch (error) {
      if (error instanceof ValueRefused) throw new Failure('value_refused', `"${name}" ${error.message}`);
      throw error;
    }
  }

  private missing(parameter: string, reason: string): Failure {
    return this.failure(`the query reads ${parameter}, and ${reason}`);
  }

  private refuse(): never {
    throw this.failure(this.problem ?? this.namedProblem ?? '');
  }

  private failure(text: string): Failure {
    return new Failure('connector_failed', `${this.where}: ${text}`, { retriable: false });
  }
}

function leftOut(name: string): Failure {
  const fields = [{ field: name, code: 'required', message: 'is required' }];
  return new Failure('parameters_invalid', `invalid parameters: ${name}: is required`, { fields });
}

function problemOf({ pieces, statements }: ReturnType<typeof scan>): string | undefined {
  const foreign = pieces.find((piece) => piece.kind === 'foreign');
  if (foreign) return `${foreign.text} is not a parameter here; write :${foreign.text.slice(1)}`;
  if (statements.length === 0) return 'the query is empty';
  const words = statements[0]?.words ?? [];
  const trigger = words[0] === 'create' && words.slice(1, 4).includes('trigger');
  if (statements.length > 1 && !trigger) {
    return 'a query holds one statement; use `transaction` to run several';
  }
  return undefined;
}

function namedProblemOf(pieces: readonly Piece[], dialect: Dialect): string | undefined {
  const bare = pieces.find(
    (piece) => piece.kind === 'indexed' || (piece.kind === 'positional' && !dialect.lexis.questions),
  );
  if (!bare) return undefined;
  return `the query has the placeholder ${bare.text}, for which \`params\` must be a list; or write :name`;
}
