import type { CelEngine } from '@svc/protocol/cel';
import { Fields } from '@svc/protocol/cel';
import { type ConfigurationHost, loadProject, type Project } from '@svc/protocol/model';
import { argument, block, cel, connector, ofPlace, oneOf, template, text, type Vocabulary } from '@svc/protocol/schema';
import { create as createMemoryCache } from '../../../connectors/cache/memory/connector.ts';
import { memoryCache } from '../../../connectors/cache/memory/spec.ts';
import { addressRow, plainKeys } from '../../../connectors/core/row-address.ts';
import { operationAttributes, operationLabel, param } from '../../../connectors/core/spec.ts';
import { words as relational } from '../../../connectors/database/block.ts';
import { http } from '../../../connectors/http/spec.ts';
import { profiled, profilePart } from '../../../connectors/profile/spec.ts';
import type { CallResult } from '../../../foundation/contracts/call-result.ts';
import type { Connector, ConnectorServices } from '../../../foundation/contracts/connector.ts';
import { anonymous, type Message } from '../../../foundation/contracts/message.ts';
import type { FlowObserver } from '../../../foundation/contracts/observer.ts';
import type { Outcome } from '../../../foundation/contracts/outcome.ts';
import type { PlanServices, Resource } from '../../../foundation/contracts/plan.ts';
import type { FlowProbe } from '../../../foundation/contracts/probe.ts';
import type { Binding } from '../../../foundation/contracts/source.ts';
import type { StatementRunner, Transactions } from '../../../foundation/contracts/sql.ts';
import type { Storage } from '../../../foundation/contracts/storage.ts';
import type { CallDescription, CallRequest, WriteEach } from '../../../foundation/contracts/target.ts';
import { type Clock, systemClock } from '../../../foundation/observe/clock.ts';
import type { Log } from '../../../foundation/observe/log.ts';
import { Metrics } from '../../../foundation/observe/metrics.ts';
import { rootBlocks, unavailableRootBlocks } from '../../flow/root-spec.ts';
import { service } from '../../settings/spec.ts';
import { compilePlan } from '../compile.ts';
import { createExpressionEngine } from '../engine.ts';
import { planServices } from './plan-services.ts';

const operation = block({
  doc: 'A named operation.',
  label: operationLabel,
  repeated: true,
  attributes: {
    ...operationAttributes,
    method: oneOf('Method.', ['GET', 'POST']),
    path: text('P.'),
    query: text('Q.'),
    table: text('T.'),
  },
  blocks: { param },
});

/** A server whose requests the test makes, a table store and a peer that can be called, and a real cache. */
const server = connector({
  type: 'server',
  config: block({ doc: 'Requests come from the test.' }),
  operation,
  source: { operation: 'required', style: 'request', placement: 'every-worker', input: {} },
});
const queue = connector({
  type: 'queue',
  config: block({ doc: 'Messages come from the test.' }),
  source: { operation: 'optional', style: 'stream', placement: 'every-worker', input: {} },
});
const store = connector({
  type: 'store',
  config: block({ doc: 'Rows are what the test says.' }),
  operation,
  target: {
    abilities: ['read', 'write'],
    needsOneOf: ['target', 'query', 'transaction'],
  },
  words: relational,
});
const peer = connector({
  type: 'peer',
  config: block({ doc: 'Answers are what the test says.' }),
  target: {
    abilities: ['read', 'write', 'call'],
    needsOneOf: [],
    forwards: ['content', '_binary'],
  },
  words: http.words,
});

/** A connector whose words no flow stage knows. */
const letter = block({
  doc: 'A letter.',
  attributes: {
    template: text('Which letter.', { required: true }),
    subject: template('Its subject.', { reads: ofPlace }),
    attachments: argument('Its files.', { reads: ofPlace }),
    urgent: cel('Whether it is urgent.', { reads: ofPlace, gives: 'bool' }),
  },
  blocks: {
    headers: block({ doc: 'Its marks.', asAttribute: true, fields: cel('One mark.', { reads: ofPlace }) }),
  },
});
const letters = connector({
  type: 'letters',
  config: block({ doc: 'Letters go where the test says.' }),
  target: { abilities: ['write'], takesAnswers: true, needsOneOf: [] },
  words: { to: letter, step: letter, enrich: letter, batch: letter, action: letter },
});

const topics = connector({
  type: 'topics',
  config: block({ doc: 'Messages go where the test says.' }),
  target: { abilities: ['write'], needsOneOf: [], parameters: () => ({ needs: [], takes: ['key'] }) },
});

export const vocabulary: Vocabulary = {
  blocks: { service, ...rootBlocks },
  connectors: [server, queue, store, peer, letters, topics, memoryCache],
  profiled,
  everyProfile: profilePart,
  unavailable: { blocks: unavailableRootBlocks, connectors: [] },
};

const host: ConfigurationHost = { env: () => undefined, readFile: () => '', absolutePath: (path) => path };

/** Reads a configuration; connectors `api`, `events`, `db`, `topics`, `peer`, `post` and `memory` are there already. */
export function load(configuration: string): Project {
  const connectors =
    'connector "api" { type = "server" }\nconnector "events" { type = "queue" }\nconnector "db" { type = "store" }\n' +
    'connector "topics" { type = "topics" }\nconnector "peer" { type = "peer" }\nconnector "post" { type = "letters" }\nconnector "memory" {\n  type = "cache"\n  driver = "memory"\n}\n';
  const declared = configuration.includes('connector "api"') ? '' : connectors;
  return loadProject(
    [
      { path: 'a.hcl', text: configuration },
      { path: 'z.hcl', text: declared },
    ],
    {
      vocabulary,
      host,
      expressionFunctions: ['now', 'uuid', 'lower'],
    },
  );
}

/** One execution of a prepared call. */
export interface Call {
  readonly connector: string;
  readonly description: CallDescription;
  readonly target: CallRequest['target'];
  readonly filters: CallRequest['filters'];
  readonly payload: CallRequest['payload'];
  readonly params: CallRequest['params'];
  readonly after: CallRequest['after'];
  readonly headers: CallRequest['headers'];
  readonly words: CallRequest['words'];
}

export type Answer = (call: Call, statement?: Readonly<Record<string, unknown>>) => CallResult | Promise<CallResult>;

export interface LogLine {
  readonly level: string;
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** Everything that a test looks at. */
export interface TestService {
  readonly calls: Call[];
  /** Statements of transactions, and how those ended. */
  readonly statements: (readonly [string, unknown] | 'commit' | 'rollback')[];
  readonly log: readonly LogLine[];
  readonly events: (readonly unknown[])[];
  readonly engine: CelEngine;
  readonly metrics: Metrics;
  /** The flows behind a connector, as its source would deliver to them. */
  bindings(connector: string): readonly Binding[];
  /** Resolves when the work that flows began in the background is done; rejects when some of it failed. */
  background(): Promise<void>;
  /** Runs the flow; what the message leaves out is empty. */
  deliver(
    flow: string,
    input?: Readonly<Record<string, unknown>>,
    message?: Partial<Message>,
  ): Outcome | Promise<Outcome>;
}

export interface TestOptions {
  readonly answer?: Answer;
  /** What `peer` makes of many rows, each by itself; without it, it takes one at a time. */
  readonly each?: WriteEach;
  readonly clock?: Clock;
  readonly probe?: FlowProbe;
  readonly production?: boolean;
  /** Replace what flows share, by key. */
  readonly shared?: Readonly<Record<string, Resource>>;
  /** Takes the place of the real memory cache, to fail, to wait or to record; one for all caches, or one for each by its name. */
  readonly storage?: Storage | ((connector: string) => Storage);
  /** Stand in for what the service would give, such as what is shared with another generation. */
  readonly services?: Partial<PlanServices>;
}

/** A plan over real stages, expressions and cache, with targets that answer as the test says. */
export async function serve(configuration: string, options: TestOptions = {}): Promise<TestService> {
  const { answer = () => ({ affected: 1 }), clock = systemClock, probe = unwatched, production = false } = options;
  const project = load(configuration);
  const errors = project.diagnostics.filter(({ severity }) => severity === 'error');
  if (errors.length > 0) throw new Error(errors.map(({ message }) => message).join('\n'));
  const calls: Call[] = [];
  const statements: TestService['statements'] = [];
  const lines: LogLine[] = [];
  const events: (readonly unknown[])[] = [];
  const log = logInto(lines);
  const engine = createExpressionEngine(() => undefined, clock);
  const plan = compilePlan(project, { engine });
  const services = {
    log,
    clock,
    environment: production ? 'production' : 'development',
    production,
    directory: '/srv',
  };
  const made = new Map<string, Connector>();
  for (const { name, declaration } of plan.connectors) {
    if (declaration.spec === memoryCache && options.storage !== undefined)
      made.set(name, cacheOf(name, options.storage));
    else if (declaration.spec === memoryCache) {
      const cache = createMemoryCache(name, declaration.values as never, services as unknown as ConnectorServices);
      await cache.open(new AbortController().signal);
      made.set(name, cache);
    } else made.set(name, fakeConnector(name, answer, calls, statements, options.each));
  }
  const observer: FlowObserver = {
    started: (flow) => void events.push(['started', flow]),
    finished: (flow, status, _seconds, detail) => void events.push(['finished', flow, status, detail]),
    cache: (cache, event) => void events.push(['cache', cache, event]),
    invalidateFailed: (cache, attribute) => void events.push(['invalidateFailed', cache, attribute]),
    unmatched: (flow, connector) => void events.push(['unmatched', flow, connector]),
    connectorCall: (name, type, kind, end) => void events.push(['call', name, type, kind, end]),
  };
  const background: Promise<unknown>[] = [];
  const run = (_name: string, work: () => Promise<unknown>) => void background.push(work());
  const metrics = new Metrics();
  const shared = new Map(Object.entries(options.shared ?? {}));
  const share = <T extends Resource>(key: string, make: () => T): T => {
    if (!shared.has(key)) shared.set(key, make());
    return shared.get(key) as T;
  };
  const { families } = metrics;
  const given = { ...services, observer, probe, families, share, background: run, ...options.services };
  const bound = plan.bind(made, planServices(given));
  return {
    calls,
    statements,
    log: lines,
    events,
    engine,
    metrics,
    bindings: (connector) => bound.bindings.get(connector) ?? [],
    deliver: (flow, input = {}, message = {}) => {
      const run = bound.flows.get(flow);
      if (!run) throw new Error(`there is no flow ${flow}`);
      return run(messageOf(input, message));
    },
    background: async () => void (await Promise.all(background)),
  };
}

/** A message as a source would hand it over. Its signal is a method of its class, as that of a request is. */
export function messageOf(input: Readonly<Record<string, unknown>>, over: Partial<Message> = {}): Message {
  const fields = Object.assign(new Fields(), input);
  return Object.assign(new Delivered(), { input: fields, auth: anonymous, addressed: [], ...over });
}

class Delivered {
  readonly #signal: AbortSignal | undefined = undefined;

  signal(): AbortSignal | undefined {
    return this.#signal;
  }
}

const unwatched: FlowProbe = {
  attached: false,
  begin: () => undefined,
  enter: () => undefined,
  leave: () => undefined,
  end: () => undefined,
};

function cacheOf(name: string, storage: NonNullable<TestOptions['storage']>): Connector {
  const own = typeof storage === 'function' ? storage(name) : storage;
  return { name, open: async () => undefined, close: async () => undefined, storage: own };
}

function fakeConnector(
  name: string,
  answer: Answer,
  calls: Call[],
  statements: TestService['statements'],
  each: WriteEach | undefined,
): Connector {
  const run = (description: CallDescription, request: CallRequest) => {
    // Every connector asks who waits.
    void request.signal;
    const { target, params, after, headers, words } = request;
    const { filters, payload } = request.naming === undefined ? request : addressRow(request, plainKeys);
    const call: Call = { connector: name, description, target, filters, payload, params, after, headers, words };
    calls.push(call);
    return answer(call);
  };
  return {
    name,
    open: async () => undefined,
    close: async () => undefined,
    target: {
      prepare: (description) => (request) => run(description, request),
      ...(name !== 'peer' && { transactions: transactions() }),
      ...(name === 'peer' && each !== undefined && { prepareEach: () => each }),
    },
  };

  function transactions(): Transactions {
    return {
      run: async (work) => {
        const runner: StatementRunner = {
          execute: (query, params) => {
            statements.push([query, { ...params }]);
            return answer({ connector: name, description: { query } as CallDescription } as Call, params);
          },
        };
        try {
          const result = await work(runner);
          statements.push('commit');
          return result;
        } catch (error) {
          statements.push('rollback');
          throw error;
        }
      },
    };
  }
}

function logInto(lines: LogLine[]): Log {
  const at =
    (level: string) =>
    (message: string, fields: Readonly<Record<string, unknown>> = {}): void => {
      lines.push({ level, message, fields });
    };
  const log: Log = {
    enabled: () => true,
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    with: () => log,
  };
  return log;
}
