import { block, type CallProblem, type ConnectorValues, list, text, type WrittenCall } from '@svc/protocol/schema';
import { operationAttributes, operationLabel, param } from '../core/spec.ts';
import { carried } from '../core/words-spec.ts';
import type { Dialect } from './statement/dialect.ts';
import { checkTarget } from './statement/identifier.ts';
import { namesIn, scan } from './statement/scanner.ts';
import { statementProblem } from './statement/session.ts';

/** `operation "name"` of a relational database. */
export const operation = block({
  doc: 'A statement or table under a name that flows write in `operation`.',
  label: operationLabel,
  repeated: true,
  attributes: {
    ...operationAttributes,
    query: text('SQL with `:name` parameters. A list inside `IN (:name)` becomes one placeholder per element.', {
      example: '"SELECT * FROM orders WHERE state = :state"',
    }),
    table: text('Table that is read or written.', { atConnector: true, example: '"orders"' }),
  },
  blocks: { param },
  rules: [{ rule: 'exactlyOneOf', names: ['query', 'table'] }],
});

/** `tables` of every relational database. */
export const tables = list(
  'Tables that a message may name where `target` comes from the message (`target = "input.table"`). Others are refused; without the list, any table may be named.',
  text('Name of a table, as messages write it.', {
    atConnector: true,
    pattern: {
      source: '^[A-Za-z_][A-Za-z0-9_]*(\\.[A-Za-z_][A-Za-z0-9_]*)?$',
      says: 'must be the name of a table, or `schema.table`',
    },
  }),
  { example: '["orders", "invoices"]' },
);

const verbs = ['SELECT', 'READ', 'INSERT', 'CREATE', 'UPSERT', 'UPDATE', 'DELETE'];

/** Why an operation that no `operation` block declares is malformed. */
function checkOperation(operation: string): string | undefined {
  if (verbs.includes(operation.trim().toUpperCase())) return undefined;
  return `"${operation}" is neither SELECT, INSERT, UPSERT, UPDATE or DELETE nor an operation of the connector`;
}

const conflict = list(
  'With `operation = "UPSERT"`: the columns of a primary or unique key by which a row that exists is found. The row is changed to the other values; without one, it is inserted. The payload has a value for each of them.',
  text('Name of a column.', { pattern: { source: '\\S', says: 'names no column' } }),
  { example: '["id"]' },
);

const asked = block({
  doc: 'What is asked of a relational database.',
  attributes: { query: carried.query, conflict },
});

/** The words that reach the connector, which are all that a batch has. */
export const ownWords = block({ doc: 'How a row is written to a relational database.', attributes: { conflict } });

/** How flows use a relational database, whose statements are those of an engine. */
export function targetOf(engine: Pick<Dialect, 'lexis' | 'session'>) {
  const problemOf = (query: unknown) =>
    typeof query === 'string' ? statementProblem(query, engine, 'alone') : undefined;
  return {
    abilities: ['read', 'write'],
    needsOneOf: ['target', 'query', 'transaction'],
    offers: verbs,
    checkOperation,
    checkTarget,
    listsTargets: 'tables',
    checkCall: ({ query }: WrittenCall) => asProblem(problemOf(query)),
    checkNamed: ({ query }: ConnectorValues) => asProblem(problemOf(query)),
    checkStatement: (statement: string) =>
      statementProblem(statement, engine, 'transaction') ?? namesIn(scan(statement, engine.lexis)),
  } as const;
}

function asProblem(problem: string | undefined): CallProblem | undefined {
  return problem === undefined ? undefined : { word: 'query', problem };
}

const { query, query_filter, transaction } = carried;

/** What may be written in blocks that name a relational database. */
export const words = {
  to: block({
    doc: 'What a destination says of a relational database.',
    attributes: { query, query_filter, conflict },
    blocks: { transaction },
    rules: [
      { rule: 'atMostOneOf', names: ['transaction', 'query'] },
      { rule: 'atMostOneOf', names: ['transaction', 'target'] },
      { rule: 'atMostOneOf', names: ['transaction', 'operation'] },
    ],
  }),
  step: asked,
  action: asked,
  batch: ownWords,
} as const;

/** What the reference pages say about values, the same for every engine. */
export const valuesDoc =
  'Values: integers are int, decimals keep their digits as text where the engine does, times are RFC 3339 in UTC (without a zone they are read as UTC), dates are `2026-01-02`, arrays are lists, JSON columns are decoded, binary columns are base64 text. Objects and lists are written as JSON text.';
