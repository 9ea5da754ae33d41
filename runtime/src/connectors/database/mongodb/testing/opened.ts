import type { ArgumentSource } from '@svc/protocol/schema';
import { configured } from '../../../../../../test/support/configured.ts';
import { connectorServices } from '../../../../../../test/support/connector-services.ts';
import type { CallResult } from '../../../../foundation/contracts/call-result.ts';
import type { CallDescription, CallRequest, Verb } from '../../../../foundation/contracts/target.ts';
import type { TargetConnector } from '../../../testing/target-conformance.ts';
import { describeCall } from '../../testing/parts.ts';
import { create } from '../connector.ts';
import { mongodb } from '../spec.ts';
import type { TestServer } from './server.ts';

const never = new AbortController().signal;
const origin = { file: 'test.hcl', range: { start: 0, end: 0 } };

/** A connector that is open, with what a test does with it. */
export interface OpenedDatabase {
  readonly connector: TargetConnector;
  /** Carries one call out, of the collection `items` when it is not given. */
  run(verb: Verb, call: Partial<CallDescription>, request?: CallRequest): Promise<CallResult>;
  /** The rows of a read. */
  rows(call: Partial<CallDescription>, request?: CallRequest): Promise<CallResult['rows']>;
}

export async function openDatabase(
  server: Pick<TestServer, 'host' | 'port' | 'credentials' | 'name'>,
  settings: Readonly<Record<string, unknown>> = {},
): Promise<OpenedDatabase> {
  const written = {
    uri: `mongodb://${server.credentials}${server.host}:${server.port}/`,
    database: server.name,
    direct: true,
    pool: { min: 0, connect_timeout: 1_000 },
    ...settings,
  };
  const connector = create('db', configured(mongodb.config, written), connectorServices()) as TargetConnector;
  await connector.open(never);
  const run: OpenedDatabase['run'] = async (verb, call, request = {}) =>
    connector.target.prepare(describeCall(verb, { target: 'items', ...call }))(request);
  return { connector, run, rows: async (call, request) => (await run('read', call, request)).rows };
}

/** A value as a configuration writes it: texts that begin with `input.` are expressions, the rest is constant. */
export function written(value: unknown): ArgumentSource {
  if (Array.isArray(value)) return { kind: 'list', items: value.map(written), origin };
  if (typeof value === 'object' && value !== null)
    return { kind: 'map', entries: Object.entries(value).map(([name, item]) => [name, written(item)]), origin };
  if (typeof value === 'string' && value.startsWith('input.'))
    return { kind: 'cel', source: value, origin, escaped: false, reads: ['input'] };
  return { kind: 'constant', value, origin };
}

/** The same with the message's values in it, as a flow evaluates it. */
export function evaluated(value: unknown, input: Readonly<Record<string, unknown>>): unknown {
  if (Array.isArray(value)) return value.map((item) => evaluated(item, input));
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, evaluated(item, input)]));
  return typeof value === 'string' && value.startsWith('input.') ? input[value.slice(6)] : value;
}
