import { EventEmitter } from 'node:events';
import { Readable } from 'node:stream';
import { functionDocumentation } from '@svc/protocol/cel';
import { loadProject } from '@svc/protocol/model';
import { onTestFinished } from 'vitest';
import { connectorServices } from '../../../../../test/support/connector-services.ts';
import { projectRules } from '../../../checks/project-rules.ts';
import { vocabulary } from '../../../checks/vocabulary.ts';
import type { HttpExchange, RecognisedFor } from '../../../foundation/contracts/http.ts';
import type { Auth } from '../../../foundation/contracts/message.ts';
import type { RunFlow } from '../../../foundation/contracts/plan.ts';
import { asFailure } from '../../../foundation/errors/classify.ts';
import { type Clock, type Reading, readingAt, timeOf } from '../../../foundation/observe/clock.ts';
import { ClientAddress } from '../../../platform/http/admission/client-address.ts';
import { memoryLog } from '../../../service/running/testing/fakes.ts';
import { createExpressionEngine } from '../../plan/engine.ts';
import { Expressions } from '../../plan/expressions.ts';
import { compileExternalProviders } from '../../plan/external-providers.ts';
import { compileHooks } from '../../plan/hooks.ts';
import type { AuditRecord } from '../audit/trail.ts';
import { type AuthFoundation, composeAuth } from '../compose.ts';
import type { Endpoint } from '../endpoints/endpoint.ts';
import { type EndpointName, placedEndpoints } from '../endpoints/places.ts';
import { EndpointRunner } from '../endpoints/runner.ts';
import { endpointTable } from '../endpoints/table.ts';
import { LatestProviders } from '../external/latest.ts';
import type { ExternalServices } from '../external/provider.ts';
import { ExternalProviders } from '../external/providers.ts';
import { IdentityProviders } from '../federated/providers/providers.ts';
import { type HookFields, type HookName, Hooks } from '../hooks/hooks.ts';
import { Recogniser } from '../recogniser.ts';
import { SessionEndings } from '../sessions/endings.ts';
import { type AuthSettings, settingsOf, type WrittenAuth } from '../settings.ts';
import { auth } from '../spec.ts';
import { MemoryAccountStore } from '../store/memory/accounts.ts';
import { MemoryStateStore } from '../store/memory/state.ts';
import type { AuthSystem } from '../system.ts';

/** A clock on which every wait is over at once, and has taken its time. */
export class LeapingClock implements Clock {
  readonly waits: number[] = [];
  #elapsed = 0;
  #set = 0;

  now(): number {
    return Date.UTC(2030, 0, 1) + this.#elapsed + this.#set;
  }

  elapsed(): number {
    return this.#elapsed;
  }

  reading(): Reading {
    return readingAt(this.#elapsed);
  }

  since(reading: Reading): number {
    return this.#elapsed - timeOf(reading);
  }

  /** Time that passes. */
  pass(milliseconds: number): void {
    this.#elapsed += milliseconds;
  }

  /** The time of day is set; no time passes. */
  set(milliseconds: number): void {
    this.#set += milliseconds;
  }

  async sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    // No test waits for what is repeated for ever, such as a sweep.
    if (milliseconds >= 60_000) return new Promise(() => undefined);
    this.waits.push(milliseconds);
    this.#elapsed += milliseconds;
  }
}

export interface Asked {
  readonly body?: unknown;
  readonly token?: string | undefined;
  readonly ip?: string;
  readonly agent?: string;
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  /** A form in place of a JSON body. */
  readonly form?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Answered {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: Tests read what they expect.
  readonly body: any;
  readonly headers: Readonly<Record<string, string>>;
}

/** The sign-in system of an `auth` block, in memory, with a clock of the test. */
export interface AuthBed {
  readonly system: AuthSystem;
  readonly clock: LeapingClock;
  /** What hooks were handed, in order. */
  readonly hooked: (readonly [HookName, HookFields])[];
  readonly recorded: AuditRecord[];
  /** The flows that hooks ran. */
  readonly ran: readonly string[];
  readonly log: ReturnType<typeof memoryLog>['lines'];
  readonly settings: AuthSettings;
  /** Where the endpoints are served. */
  places(): readonly string[];
  /** Asks an endpoint; 404 where it is not served. */
  ask(name: EndpointName, asked?: Asked): Promise<Answered>;
  /** Who a flow sees: the caller, the code of the refusal, or undefined. */
  caller(token: string | undefined, reason?: RecognisedFor): Promise<Auth | string | undefined>;
  /** Registers an account and gives its tokens. */
  register(email?: string, password?: string): Promise<Answered>;
  login(password: string, asked?: Asked & { readonly email?: string }): Promise<Answered>;
  /** Resolves when all is done that answers do not wait for. */
  besidesOver(): Promise<void>;
}

export const goodPassword = 'Correct-Horse-7';
export const ana = 'ana@example.test';

/** A hash that costs little, for tests about something else. */
export const cheapHash = 'memory = 19456\n iterations = 1\n parallelism = 1';
/** A preset with hashes that cost little and no delays. */
export const quick = (lines = '', preset = 'standard') => `
  preset = "${preset}"
  jwt {
    secret = "a secret of at least thirty-two bytes"
  }
  password {
    ${cheapHash}
  }
  ${lines}`;

export async function authBed(
  lines: string,
  parts: Partial<Pick<AuthFoundation, 'accounts' | 'state' | 'audit' | 'places'>> & {
    readonly failing?: readonly HookName[];
    readonly clock?: LeapingClock;
    /** What is done beside an answer is not waited for. Default: false. */
    readonly apart?: boolean;
  } = {},
): Promise<AuthBed> {
  const written = writtenAuth(lines);
  const settings = settingsOf(written);
  const clock = parts.clock ?? new LeapingClock();
  const { log, lines: logged } = memoryLog();
  const hooked: (readonly [HookName, HookFields])[] = [];
  const recorded: AuditRecord[] = [];
  const besides: Promise<unknown>[] = [];
  const ran: string[] = [];
  const accounts = parts.accounts ?? new MemoryAccountStore();
  const state = parts.state ?? new MemoryStateStore(clock);
  const providers =
    settings.social === undefined && settings.oidc.length === 0
      ? undefined
      : new IdentityProviders(settings, connectorServices({ log }));
  if (providers !== undefined) onTestFinished(() => providers.close());
  await providers?.open();
  const system = composeAuth({
    settings,
    serviceName: 'library',
    accounts,
    state,
    hooks: hooksOf(written, hooked, ran, parts.failing ?? [], log, besides),
    audit: parts.audit ?? { record: async (record) => void recorded.push(record) },
    clock,
    log,
    places: parts.places,
    providers,
    endings: new SessionEndings(),
    limitsAlone: () => undefined,
  });
  const external = externalOf(settings, { clock, log, userAgent: 'svc/test' });
  const recogniser = new Recogniser(system.tokens, system.sessions, accounts, clock, external);
  const runner = new EndpointRunner(
    system,
    recogniser,
    new ClientAddress({ networks: ['127.0.0.1'], header: 'x-forwarded-for' }),
  );
  const served = new Set(placedEndpoints(settings).map(({ name }) => name));
  const besidesOver = async () => {
    while (besides.length > 0) await besides.shift();
  };
  const ask = async (name: EndpointName, asked: Asked = {}): Promise<Answered> => {
    if (!served.has(name)) return { status: 404, body: undefined, headers: {} };
    const answer = await answerOf((exchange) => runner.run(endpointTable.get(name) as Endpoint, exchange), asked);
    if (parts.apart !== true) await besidesOver();
    return answer;
  };
  return {
    system,
    clock,
    hooked,
    recorded,
    ran,
    settings,
    places: () => placedEndpoints(settings).map(({ name, method, path }) => `${name}: ${method} ${path}`),
    log: logged,
    ask,
    besidesOver,
    caller: async (token, reason) => {
      const found = await recogniser.recognise(requestOf(token === undefined ? {} : { token }), reason);
      return found !== undefined && 'refused' in found ? asFailure(found.refused).code : found;
    },
    register: (email = ana, password = goodPassword) => ask('register', { body: { email, password } }),
    login: (password, { email = ana, body, ...asked } = {}) =>
      ask('login', { ...asked, body: { email, password, ...(body as object) } }),
  };
}

/** The `auth` block of these lines. Throws what `svc validate` has against it. */
export function writtenAuth(lines: string): WrittenAuth {
  const host = { env: () => undefined, readFile: () => '', absolutePath: (path: string) => path };
  const surroundings =
    'connector "db" {\n type = "database"\n driver = "sqlite"\n database = "a.db"\n}\nconnector "api" {\n type = "rest"\n}\n' +
    ['f', 'g']
      .map(
        (name) =>
          `flow "${name}" {\n from {\n connector = connector.api\n operation = "GET /${name}"\n }\n response {\n a = "1"\n }\n}\n`,
      )
      .join('');
  const text = `${surroundings}auth {\n${lines}\n}\n`;
  const expressionFunctions = functionDocumentation.map(({ name }) => name);
  const project = loadProject([{ path: 'a.hcl', text }], { vocabulary, host, expressionFunctions }, projectRules);
  const errors = project.diagnostics.filter(({ severity }) => severity === 'error');
  if (errors.length > 0) throw new Error(errors.map(({ message }) => message).join('\n'));
  return project.one('auth', auth) as WrittenAuth;
}

function externalOf(settings: AuthSettings, services: ExternalServices): ExternalProviders | undefined {
  if (settings.provider.length === 0) return undefined;
  const providers = compileExternalProviders(settings, new Expressions(createExpressionEngine()), {});
  const external = new ExternalProviders({ providers, mfa: settings.mfa, latest: new LatestProviders() }, services);
  onTestFinished(() => external.close());
  return external;
}

function hooksOf(
  written: WrittenAuth,
  hooked: (readonly [HookName, HookFields])[],
  ran: string[],
  failing: readonly HookName[],
  log: AuthFoundation['log'],
  besides: Promise<unknown>[],
): Hooks {
  const run =
    (flow: string): RunFlow =>
    ({ input }) => {
      const fields = input['auth'] as HookFields;
      const name = fields['event'] as HookName;
      ran.push(flow);
      hooked.push([name, fields]);
      if (failing.includes(name)) throw new Error('the flow fails');
      return { kind: 'reply', value: undefined } as never;
    };
  const flows = new Map(['f', 'g'].map((name) => [name, run(name)]));
  const expressions = new Expressions(createExpressionEngine());
  const compiled = compileHooks(settingsOf(written), { expressions, flows });
  return new Hooks(compiled, { log, background: (_name, work) => void besides.push(work()) });
}

function requestOf({ body, form, token, ip = '192.0.2.1', agent = 'test', headers = {} }: Asked) {
  const text = form === undefined ? body : new URLSearchParams(form).toString();
  const bytes = text === undefined ? [] : [Buffer.from(typeof text === 'string' ? text : JSON.stringify(text))];
  const request = Object.assign(Readable.from(bytes), {
    method: text === undefined ? 'GET' : 'POST',
    headers: {
      'user-agent': agent,
      ...(text !== undefined && {
        'content-type': form === undefined ? 'application/json' : 'application/x-www-form-urlencoded',
      }),
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...headers,
    },
    socket: { remoteAddress: ip },
  });
  return { request, path: '/', query: {}, addHeader: () => undefined } as never;
}

async function answerOf(run: (exchange: HttpExchange) => void, asked: Asked): Promise<Answered> {
  const { promise, resolve } = Promise.withResolvers<Answered>();
  const send = (status: number, _type: string, text: string, headers: readonly string[] = []) => {
    const pairs = headers.flatMap((name, at) => (at % 2 === 0 ? [[name, headers[at + 1] as string]] : []));
    resolve({ status, body: text === '' ? undefined : JSON.parse(text), headers: Object.fromEntries(pairs) });
  };
  run({
    ...(requestOf(asked) as object),
    response: new EventEmitter(),
    params: asked.params ?? {},
    query: asked.query ?? {},
    signal: () => new AbortController().signal,
    takeBody: () => undefined,
    leaveBody: () => undefined,
    send,
  } as unknown as HttpExchange);
  return promise;
}
