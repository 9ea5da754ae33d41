import { anonymous, type Message } from '../../../../../foundation/contracts/message.ts';
import type { Outcome } from '../../../../../foundation/contracts/outcome.ts';
import type { Binding } from '../../../../../foundation/contracts/source.ts';
import { documentReader } from '../../limits/read-document.ts';
import { ErrorForm } from '../errors.ts';
import type { Asker } from '../field-message.ts';
import { prepareDocuments } from '../prepare.ts';
import type { Variables } from '../variables.ts';

/** A flow of a test: a value that it answers, or what it does with its message. */
export type TestFlow = ((message: Message) => unknown) | null | string | number | boolean | object;

const any = Number.POSITIVE_INFINITY;
const limits = { depth: any, aliases: any, directives: any, tokens: 1_000_000, cost: any };
/** Reads documents of any size. */
const unlimited = documentReader({ limits, introspection: true, production: false, connector: 'api' });

/** Documents of a schema whose fields are functions, and the messages that these received. */
export function executionBed(schema: string, flows: Readonly<Record<string, TestFlow>>, more: Partial<Binding> = {}) {
  const received: { readonly field: string; readonly input: Record<string, unknown>; readonly message: Message }[] = [];
  const bindings = Object.entries(flows).map(
    ([operation, flow]): Binding => ({
      flow: operation,
      operation,
      words: {},
      ...more,
      deliver: (message) => {
        received.push({ field: operation, input: { ...message.input }, message });
        const value: unknown = typeof flow === 'function' ? (flow as (message: Message) => unknown)(message) : flow;
        const reply = (answer: unknown): Outcome => ({ kind: 'reply', value: answer });
        return value instanceof Promise ? value.then(reply) : isOutcome(value) ? value : reply(value);
      },
    }),
  );
  const documents = prepareDocuments({ text: schema }, bindings, unlimited);
  const run = async (text: string, variables: Variables = {}, options: Partial<RunOptions> = {}) => {
    const prepared = documents.prepare(text, options.operation);
    const { production = false, asker = testAsker() } = options;
    const result =
      'execute' in prepared ? await prepared.execute(asker, variables, options.root) : { errors: prepared };
    const log = { error: () => undefined, warn: () => undefined };
    const errors = result.errors && new ErrorForm({ connector: 'gql', production, log }).all(result.errors);
    return JSON.parse(JSON.stringify({ ...result, ...(errors && { errors }) })) as {
      readonly data?: Readonly<Record<string, unknown>> | null;
      readonly errors?: readonly { readonly message: string; readonly path?: readonly unknown[] }[];
    };
  };
  return { documents, received, run };
}

interface RunOptions {
  readonly operation: string;
  readonly production: boolean;
  readonly asker: Asker;
  readonly root: unknown;
}

/** A request that never ends by itself. */
export function testAsker(more: Partial<Asker> = {}): Asker {
  return {
    auth: anonymous,
    signal: () => new AbortController().signal,
    hold: () => () => undefined,
    cancelled: false,
    timeout: undefined,
    request: { method: 'POST', headers: {} } as Asker['request'],
    ...more,
  };
}

function isOutcome(value: unknown): value is Outcome {
  return (
    typeof value === 'object' &&
    value !== null &&
    ['drop', 'failed'].includes(String((value as { kind?: unknown }).kind))
  );
}
