import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BlockSpec, origin, type Values } from '@svc/protocol/schema';
import type { CallResult } from '../../../foundation/contracts/call-result.ts';
import type { ConnectorServices } from '../../../foundation/contracts/connector.ts';
import type { CallDescription, CallRequest, Verb } from '../../../foundation/contracts/target.ts';
import { systemClock } from '../../../foundation/observe/clock.ts';
import type { Log } from '../../../foundation/observe/log.ts';
import type { DatabaseConnector } from '../engine.ts';
import { create as createPostgres } from '../postgres/connector.ts';
import { postgres } from '../postgres/spec.ts';
import { create as createSqlite } from '../sqlite/connector.ts';
import { sqlite } from '../sqlite/spec.ts';

/** A block as the decoder gives it: defaults filled in, with `written` laid over them. */
export function decoded<S extends BlockSpec>(spec: S, written: Readonly<Record<string, unknown>>): Values<S> {
  const values: Record<PropertyKey, unknown> = {};
  for (const [name, attribute] of Object.entries(spec.attributes)) values[name] = attribute.default;
  for (const [name, nested] of Object.entries(spec.blocks)) {
    const given = written[name];
    if (nested.repeated)
      values[name] = ((given as object[] | undefined) ?? []).map((one) => decoded(nested, { ...one }));
    else if (given !== undefined) values[name] = decoded(nested, { ...(given as object) });
  }
  const place = { file: 'test.hcl', range: { start: 0, end: 0 } };
  const parts = new Map(Object.keys(written).map((name) => [name, place]));
  const rest = Object.entries(written).filter(([name]) => !(name in spec.blocks));
  return { ...values, ...Object.fromEntries(rest), [origin]: { ...place, parts } } as Values<S>;
}

/** Log lines of a test, in order. */
export class Lines implements Log {
  readonly lines: { readonly level: string; readonly message: string; readonly fields: unknown }[] = [];
  readonly enabled = () => true;
  readonly debug = (message: string, fields?: unknown) => void this.lines.push({ level: 'debug', message, fields });
  readonly info = (message: string, fields?: unknown) => void this.lines.push({ level: 'info', message, fields });
  readonly warn = (message: string, fields?: unknown) => void this.lines.push({ level: 'warn', message, fields });
  readonly error = (message: string, fields?: unknown) => void this.lines.push({ level: 'error', message, fields });
  readonly with = () => this;
}

export function services(
  directory = mkdtempSync(join(tmpdir(), 'svc-database-')),
  log: Log = new Lines(),
): ConnectorServices {
  const unused = () => {
    throw new Error('a database asks for nothing of the kind');
  };
  return {
    log,
    clock: systemClock,
    environment: 'development',
    production: false,
    directory,
    service: 'test',
    userAgent: 'svc-test/1',
    lookup: unused,
    storage: unused,
  };
}

export const never = new AbortController().signal;

export function sqliteConnector(written: Readonly<Record<string, unknown>>, given = services()): DatabaseConnector {
  return createSqlite('db', decoded(sqlite.config, written), given) as DatabaseConnector;
}

export function postgresConnector(written: Readonly<Record<string, unknown>>, given = services()): DatabaseConnector {
  return createPostgres('db', decoded(postgres.config, written), given) as DatabaseConnector;
}

export function describeCall(verb: Verb, rest: Partial<CallDescription> = {}): CallDescription {
  return {
    verb,
    operation: undefined,
    target: undefined,
    query: undefined,
    timeout: undefined,
    exact: false,
    flow: 'f',
    label: 'to',
    ...rest,
  };
}

/** Runs one statement that a test wrote. */
export async function sql(
  connector: DatabaseConnector,
  query: string,
  params: CallRequest['params'] = {},
  exact = false,
): Promise<CallResult> {
  return connector.target.prepare(describeCall('read', { query, exact }))({ params });
}

/** What a call failed with: code, message and the fields it names. Fails the test when it did not fail. */
export async function failureOf(work: () => unknown): Promise<{
  readonly code: string;
  readonly message: string;
  readonly retriable: boolean;
  readonly fields: string[];
}> {
  try {
    await work();
  } catch (error) {
    const failure = error as { code: string; message: string; retriable: boolean; fields?: { field: string }[] };
    const { code, message, retriable } = failure;
    return { code, message, retriable, fields: (failure.fields ?? []).map((problem) => problem.field) };
  }
  throw new Error('it did not fail');
}
