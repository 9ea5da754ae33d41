/** Kinds of parameters; a question mark at the end makes one optional. */
export interface Kinds {
  string: string;
  int: number;
  'string[]': readonly string[];
  breakpoints: readonly Breakpoint[];
  any: unknown;
}

export type Kind = keyof Kinds;

export interface ParamSpec {
  readonly kind: Kind | `${Kind}?`;
  readonly doc: string;
}

export interface Method<
  P extends Readonly<Record<string, ParamSpec>> = Readonly<Record<string, ParamSpec>>,
  R = unknown,
> {
  readonly doc: string;
  readonly params: P;
  /** Says what the result holds. */
  readonly result: string;
  /** Holds the type of the result; there is no value. */
  readonly shape?: R;
}

function method<R>() {
  return <const P extends Readonly<Record<string, ParamSpec>>>(spec: Omit<Method<P, R>, 'shape'>): Method<P, R> => spec;
}

/** Where a thread shall stop (document 3, "Breakpoint rules"; decisions 36). */
export interface Breakpoint {
  readonly stage: string;
  /** -1: before the stage. From 0: before that rule. */
  readonly ruleIndex: number;
  /** Label of the block; absent: any block of the stage. */
  readonly name?: string | undefined;
  /** Stops only when it gives true. */
  readonly condition?: string | undefined;
  /** Stops from this hit on; a hit is a time that the condition gave true. */
  readonly hitCount?: number | undefined;
  /** Instead of stopping, `event.log` carries this text; expressions stand in braces. */
  readonly logMessage?: string | undefined;
}

export interface CheckedBreakpoint extends Breakpoint {
  /** False when it can never stop a thread; `message` says why. */
  readonly verified: boolean;
  readonly message: string;
}

export interface ThreadEntry {
  readonly id: string;
  readonly flowName: string;
  readonly stage: string;
  readonly name: string;
  readonly paused: boolean;
  /** Why it is paused; empty while it runs. */
  readonly reason: string;
}

export interface StoppedRule {
  readonly index: number;
  readonly target: string;
  readonly expression: string;
}

export interface Variables {
  readonly input: unknown;
  readonly output: unknown;
  readonly enriched: unknown;
  readonly steps: unknown;
  readonly rule?: StoppedRule & { readonly result: unknown };
}

export interface FlowEntry {
  readonly name: string;
  readonly from: { readonly connector: string; readonly operation: string };
  readonly to: { readonly connector: string; readonly operation: string } | null;
  readonly hasSteps: boolean;
  readonly stepCount: number;
  readonly transform: Readonly<Record<string, string>>;
  readonly response: Readonly<Record<string, string>> | null;
  readonly validate: { readonly input: string; readonly output: string };
  readonly hasCache: boolean;
  readonly hasRetry: boolean;
  /** Everything a breakpoint can name, in the order in which it runs. */
  readonly stages: readonly { readonly stage: string; readonly name: string; readonly rules: readonly StoppedRule[] }[];
}

export interface ConnectorEntry {
  readonly name: string;
  readonly type: string;
  readonly driver: string;
}

export interface TypeEntry {
  readonly name: string;
  readonly fields: readonly { readonly name: string; readonly type: string; readonly required: boolean }[];
}

/** What goes beyond document 3; `debug.attach` announces all of it and hears which of it the client understands. */
export const capabilities = {
  stages: 'Flow entries list every stage and rule that a breakpoint can name.',
  names: 'Breakpoints take `name`, the label of the block.',
  hitCount: 'Breakpoints take `hitCount`.',
  log: 'Breakpoints take `logMessage`; `event.log` carries the text.',
  pause: '`debug.pause`; the reason of the stop is `pause`.',
  runTo: '`debug.runTo`; the reason of the stop is `runTo`.',
  failure: '`debug.setFailureBreakpoints`; the reason of the stop is `failure`.',
  setVariable: '`debug.setVariable` while a thread is paused.',
  page: '`debug.page` reads large values piece by piece.',
  dropped: '`event.dropped` tells how many trace events were left out.',
} as const;

export type Capability = keyof typeof capabilities;

type Ok = { readonly ok: true };
const threadId = { kind: 'string', doc: 'A thread, as events and `debug.threads` name it.' } as const;

/** Every method of the debug endpoint (document 3, "Debug protocol"). Both ends and the reference page are made from it. */
export const methods = {
  'debug.attach': method<{ sessionId: string; flows: readonly string[]; capabilities: readonly string[] }>()({
    doc: 'Begins the session of this connection; must be first. Called again, it answers with the same session.',
    params: {
      clientName: { kind: 'string?', doc: 'Who attaches, for the log.' },
      capabilities: { kind: 'string[]?', doc: 'Additions that the client understands; absent means none.' },
    },
    result: '`sessionId`, `flows` (their names), `capabilities` (the additions that are available)',
  }),
  'debug.detach': method<Ok>()({
    doc: 'Ends the session. Threads that only this session holds run on.',
    params: {},
    result: '`ok`',
  }),
  'debug.setBreakpoints': method<{ breakpoints: readonly CheckedBreakpoint[] }>()({
    doc: 'Replaces the breakpoints of this session in one flow; an empty list clears them.',
    params: {
      flow: { kind: 'string', doc: 'Name of the flow.' },
      breakpoints: {
        kind: 'breakpoints',
        doc: 'Each has `stage`, `ruleIndex` (-1 for the stage itself) and maybe `condition`, `name`, `hitCount`, `logMessage`.',
      },
    },
    result: '`breakpoints`: as they were sent, each with `verified` and `message`',
  }),
  'debug.setFailureBreakpoints': method<Ok & { readonly codes: readonly string[] }>()({
    doc: 'Stops threads where a stage or rule has failed, before the failure goes on. Replaces what this session asked for earlier.',
    params: { codes: { kind: 'string[]', doc: 'Codes of failures; `*` is every one; an empty list clears.' } },
    result: '`ok`, `codes`',
  }),
  'debug.continue': method<Ok>()({ doc: 'Lets a paused thread run.', params: { threadId }, result: '`ok`' }),
  'debug.next': method<Ok>()({
    doc: 'Lets a paused thread run until its next stage; the stop has reason `step`.',
    params: { threadId },
    result: '`ok`',
  }),
  'debug.stepInto': method<Ok>()({
    doc: 'Lets a paused thread run until its next rule; the stop has reason `stepInto`. Holds until `debug.continue`.',
    params: { threadId },
    result: '`ok`',
  }),
  'debug.pause': method<Ok>()({
    doc: 'Stops a running thread at its next stage or rule; the stop has reason `pause`.',
    params: { threadId },
    result: '`ok`',
  }),
  'debug.runTo': method<Ok>()({
    doc: 'Lets a paused thread run until a stage; the stop has reason `runTo`.',
    params: {
      threadId,
      stage: { kind: 'string', doc: 'Name of the stage.' },
      name: { kind: 'string?', doc: 'Label of the block; absent: any.' },
    },
    result: '`ok`',
  }),
  'debug.evaluate': method<{ result: unknown; type: string }>()({
    doc: 'Evaluates an expression where a thread is paused. It changes nothing, and its work is limited.',
    params: { threadId, expression: { kind: 'string', doc: 'An expression of the flow language.' } },
    result: '`result`; `type`: the CEL type of the value',
  }),
  'debug.variables': method<Variables>()({
    doc: 'What a thread holds: `rule` only while it is paused before a rule. Large values are cut; `debug.page` reads them.',
    params: { threadId },
    result: '`input`, `output`, `enriched`, `steps`, `rule {index, target, expression, result}`',
  }),
  'debug.setVariable': method<{ readonly value: unknown }>()({
    doc: 'Changes a value of `input`, `output`, `enriched` or `steps` while the thread is paused.',
    params: {
      threadId,
      path: {
        kind: 'string[]',
        doc: 'Where the value stands, such as `["input", "name"]`; list positions are written as digits.',
      },
      value: { kind: 'any', doc: 'The new value, as JSON.' },
    },
    result: '`value`: as it is shown now',
  }),
  'debug.page': method<{
    readonly kind: string;
    readonly size: number;
    readonly entries: readonly { readonly key: string; readonly value: unknown }[];
  }>()({
    doc: 'Members of a list or map of a paused thread.',
    params: {
      threadId,
      path: { kind: 'string[]', doc: 'Where the list or map stands, such as `["input", "items"]`.' },
      start: { kind: 'int?', doc: 'First member; default 0.' },
      count: { kind: 'int?', doc: 'At most so many members; default 100, most 1000.' },
    },
    result: '`kind`: `list`, `map` or `value`; `size`; `entries`: each with `key` and `value`',
  }),
  'debug.threads': method<{ threads: readonly ThreadEntry[] }>()({
    doc: 'Every request that began while a client was attached and has not ended.',
    params: {},
    result: '`threads`: each with `id`, `flowName`, `stage`, `name`, `paused`, `reason`',
  }),
  'debug.ready': method<Ok & { readonly sources: readonly unknown[] }>()({
    doc: 'Says that breakpoints are set. No connector of this version is an event source, so `sources` is empty.',
    params: {},
    result: '`ok`, `sources`',
  }),
  'debug.consume': method<Ok>()({
    doc: 'Takes one message from an event source. No connector of this version can be pulled: the answer is always an error.',
    params: { connector: { kind: 'string', doc: 'Name of the connector.' } },
    result: '`ok`',
  }),
  'inspect.flows': method<readonly FlowEntry[]>()({
    doc: 'Every flow.',
    params: {},
    result:
      'list of `name`, `from`, `to`, `hasSteps`, `stepCount`, `transform`, `response`, `validate`, `hasCache`, `hasRetry`, `stages`',
  }),
  'inspect.flow': method<FlowEntry>()({
    doc: 'One flow.',
    params: { name: { kind: 'string', doc: 'Name of the flow.' } },
    result: 'an entry as `inspect.flows` has it',
  }),
  'inspect.connectors': method<readonly ConnectorEntry[]>()({
    doc: 'Every connector.',
    params: {},
    result: 'list of `name`, `type`, `driver` (empty when the type has none)',
  }),
  'inspect.types': method<readonly TypeEntry[]>()({
    doc: 'Every type.',
    params: {},
    result: 'list of `name`, `fields` (each `name`, `type`, `required`)',
  }),
  'inspect.transforms': method<
    readonly { readonly name: string; readonly mappings: Readonly<Record<string, string>> }[]
  >()({
    doc: 'Every named transform.',
    params: {},
    result: 'list of `name`, `mappings`',
  }),
} as const;

export type Methods = typeof methods;

type Required<P> = { [K in keyof P]: P[K] extends { kind: `${string}?` } ? never : K }[keyof P];
type Value<S> = S extends { kind: infer K }
  ? K extends `${infer Name extends Kind}?`
    ? Kinds[Name] | undefined
    : K extends Kind
      ? Kinds[K]
      : never
  : never;

/** What a caller sends, and what a handler is given. */
export type Params<M extends keyof Methods> = {
  readonly [K in Required<Methods[M]['params']>]: Value<Methods[M]['params'][K]>;
} & {
  readonly [K in Exclude<keyof Methods[M]['params'], Required<Methods[M]['params']>>]?: Value<Methods[M]['params'][K]>;
};

export type Result<M extends keyof Methods> = Methods[M] extends Method<never, infer R> | Method<infer _, infer R>
  ? R
  : never;
