import { cacheMethods } from './cache-methods.ts';
import { type Kind, type Kinds, type Method, method } from './method.ts';
import { operationMethods } from './operation-methods.ts';
import type {
  CheckedBreakpoint,
  ConnectorEntry,
  EventSourceEntry,
  FlowEntry,
  Found,
  KnownTarget,
  ModulesEntry,
  OutboxEntry,
  OutboxMessage,
  Reading,
  SourceEntry,
  SourceFigures,
  ThreadEntry,
  TypeEntry,
  Variables,
} from './shapes.ts';

/** Additions to the protocol: `debug.attach` announces all of them and hears which of them the client understands. */
export const capabilities = {
  stages: 'Flow entries list every stage and rule that a breakpoint can name.',
  names: 'Breakpoints take `name`, the label of the block.',
  hitCount: 'Breakpoints take `hitCount`.',
  log: 'Breakpoints take `logMessage`; `event.log` carries the text.',
  pause: '`debug.pause`; the reason of the stop is `pause`.',
  runTo: '`debug.runTo`; the reason of the stop is `runTo`.',
  restartStage: '`debug.restartStage`; the reason of the stop is `restart`.',
  failure: '`debug.setFailureBreakpoints`; the reason of the stop is `failure`.',
  failureTypes: '`debug.setFailureBreakpoints` takes `types`.',
  drop: '`debug.setDropBreakpoints`; the reason of the stop is `drop`.',
  setVariable: '`debug.setVariable` while a thread is paused.',
  forced: '`debug.variables` lists what `debug.setVariable` changed.',
  reading: '`debug.reading` tells the value of every part of an expression.',
  search: '`debug.search` finds names and values.',
  page: '`debug.page` reads large values piece by piece.',
  gate: '`debug.setGate` says how freely event sources take messages; `debug.sources` tells how they are.',
  holds: 'Entries of `debug.threads` have `holds`: the request or message that waits for the thread.',
  cancelConsume: '`debug.cancelConsume`; `debug.consume` takes `until` and `within`.',
  holdIntake:
    'No event source takes a message before `debug.ready`, or for five seconds after `debug.attach` was answered.',
  dropped: '`event.dropped` tells how many trace events were left out.',
  samples: 'Fields of `inspect.types` have `sample`.',
  figures: '`debug.figures` tells what brokers say of the queues, topics and streams that messages come from.',
  outbox:
    '`debug.outbox` and `debug.outboxMessage` show the notifications that are captured instead of sent; `event.captured` tells of each.',
  modules: '`inspect.modules` tells of plugins and modules, and what each module has done.',
  workflows:
    '`inspect.workflows` and `inspect.workflow` tell of kept workflows; `debug.signalWorkflow` and `debug.cancelWorkflow` change them.',
  schedules: '`inspect.schedules` tells of scheduled flows; `debug.runSchedule` runs one now.',
  unlock: '`debug.unlock`: what changes the state of the service is refused without it.',
  caches:
    '`inspect.caches`, `inspect.cacheKeys` and `inspect.cacheEntry` show the answers that flows keep; `debug.dropCacheEntry` and `debug.dropCache` drop them.',
  metrics: '`inspect.metrics` tells what flows have done, and how the process is.',
  targets: '`inspect.targets` names what the server of a connector has.',
} as const;

export type Capability = keyof typeof capabilities;

type Ok = { readonly ok: true };
const threadId = { kind: 'string', doc: 'A thread, as events and `debug.threads` name it.' } as const;

/** Every method of the debug endpoint. Both ends and the reference page are made from it. */
export const methods = {
  'debug.attach': method<{ sessionId: string; flows: readonly string[]; capabilities: readonly string[] }>()({
    doc: 'Begins the session of this connection; must be first. Called again, it answers with the same session. While the service is starting the answer waits, for ten seconds at most. A client that understands `holdIntake` holds every event source until its `debug.ready`, so that its breakpoints are set before the first message is taken.',
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
    doc: 'Stops threads where a stage or rule has failed, before the failure continues. Replaces what this session asked for earlier.',
    params: {
      codes: { kind: 'string[]', doc: 'Codes of failures; `*` is every one; an empty list clears.' },
      types: {
        kind: 'string[]?',
        doc: 'Kinds of failures, as `error.type` has them: every code of such a kind stops too. One that does not exist is refused.',
      },
    },
    result: '`ok`, `codes`',
  }),
  'debug.setDropBreakpoints': method<Ok & { readonly gates: readonly string[] }>()({
    doc: 'Stops threads where a gate has turned a message away, before the flow ends. Replaces what this session asked for earlier.',
    params: {
      gates: {
        kind: 'string[]',
        doc: 'Blocks that decide: `filter`, `accept`, `dedupe`, `sequence_guard`, `coordinate`; `*` is every one; an empty list clears.',
      },
    },
    result: '`ok`, `gates`',
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
  'debug.restartStage': method<Ok & { readonly stage: string; readonly name: string }>()({
    doc: 'Begins the stage of a paused thread, or one that ran before it, again, and stops before it with reason `restart`. What the flow held when the stage began is put back, except members that were changed with `debug.setVariable`, which stay so where the stage does not make them again. The stages from there on do their work again: of a step, an enrichment or a read, the call is made again, whatever it does at the other end. Refused: when a write in between was carried out or may have been, for one of several destinations, for the stages of a cache, and across the beginning of a cache or a retry. A stage that is left this way ends with the error `begun again`.',
    params: {
      threadId,
      stage: { kind: 'string?', doc: 'Name of the stage; absent: the one at which the thread is paused.' },
      name: { kind: 'string?', doc: 'Label of the block; absent: any, the last that began.' },
    },
    result: '`ok`; `stage` and `name` of what begins again',
  }),
  'debug.evaluate': method<{ result: unknown; type: string }>()({
    doc: 'Evaluates an expression where a thread is paused. It changes nothing, and its work is limited.',
    params: { threadId, expression: { kind: 'string', doc: 'An expression of the flow language.' } },
    result: '`result`; `type`: the CEL type of the value',
  }),
  'debug.variables': method<Variables>()({
    doc: 'What a thread holds: `rule` only while it is paused before a rule. Large values are cut; `debug.page` reads them.',
    params: { threadId },
    result:
      '`input`, `output` (before `response` and `validate_output`: the answer that they work on), `enriched`, `steps`, `others` (`auth` where the caller is known or a hook of sign-in runs the flow, and variables that exist in this place alone, such as `result` and `_flow` of an aspect, or `error`; absent when no such variables exist), `rule {index, target, expression, result}`, `forced`: what was changed and is still in place, each with `path` and `was`',
  }),
  'debug.reading': method<Reading>()({
    doc: 'The values of all parts of the rule that a thread is paused at, or of an expression. Like `debug.evaluate` it changes nothing and calls no connector; all parts together may cost as much as one evaluation. A path such as `input.items[0].name` is one part; literals, the insides of macros and what is beyond 500 parts are left out. Of a rule that computes what is not shown, nothing is reported.',
    params: {
      threadId,
      expression: { kind: 'string?', doc: 'An expression of the flow language; absent: that of the rule.' },
    },
    result:
      '`expression`; `parts`, inner ones first: each with `start` and `end` (UTF-16 units of the expression), `depth` (1 for the innermost), `text`, `value`, `type`, `error`; `result` of the whole: `value`, `type`, `error`',
  }),
  'debug.search': method<Found>()({
    doc: 'Finds members of `input`, `output`, `enriched` and `steps` of a paused thread whose name, or whose value if it is neither list nor map, contains a text; small and capital letters are the same. What is not shown is not searched.',
    params: {
      threadId,
      text: { kind: 'string', doc: 'What to look for.' },
      limit: { kind: 'int?', doc: 'At most so many; default 100, most 1000.' },
    },
    result: '`matches`: each with `path` and `value`; `truncated`: whether there may be more',
  }),
  'debug.setVariable': method<{ readonly value: unknown }>()({
    doc: 'Changes a value of `input`, `output`, `enriched` or `steps` while the thread is paused.',
    params: {
      threadId,
      path: {
        kind: 'string[]',
        doc: 'Where the value is, such as `["input", "name"]`; list positions are written as digits.',
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
    doc: 'Members of a list or map of a paused thread, of `others` too.',
    params: {
      threadId,
      path: { kind: 'string[]', doc: 'Where the list or map is, such as `["input", "items"]`.' },
      start: { kind: 'int?', doc: 'First member; default 0.' },
      count: { kind: 'int?', doc: 'At most so many members; default 100, most 1000.' },
    },
    result: '`kind`: `list`, `map` or `value`; `size`; `entries`: each with `key` and `value`',
  }),
  'debug.threads': method<{ threads: readonly ThreadEntry[] }>()({
    doc: 'Every request that began while a client was attached and has not ended.',
    params: {},
    result:
      '`threads`: each with `id`, `flowName`, `stage`, `name`, `paused`, `reason`, `holds` (`{kind: "request", method, route, timeoutMs, asked}`, where `asked` is JSON of what a field of GraphQL asks and `route` names the field, or `{kind: "message", connector, source, id, sinceMs, waiting}`)',
  }),
  'debug.ready': method<Ok & { readonly sources: readonly SourceEntry[] }>()({
    doc: 'Says that breakpoints are set: event sources that were suspended at start begin, and those that this client holds since it attached continue.',
    params: {},
    result: '`ok`, `sources`: each with `connector`, `type`, `source`, `manualConsume`',
  }),
  'debug.consume': method<Ok & { readonly taken?: boolean }>()({
    doc: 'Takes one message from an event source whose gate is at `demand`, waiting for one to come. Other calls are answered meanwhile.',
    params: {
      connector: { kind: 'string', doc: 'Name of the connector.' },
      until: {
        kind: 'string?',
        doc: '`settled`: answers when the flow has ended and the message is settled, the default; `taken`: as soon as the message was taken.',
      },
      within: { kind: 'int?', doc: 'Milliseconds to wait for a message at most; absent: until one comes.' },
    },
    result: '`ok`; with `within` also `taken`: whether a message came in this time',
  }),
  'debug.cancelConsume': method<Ok & { readonly cancelled: number }>()({
    doc: 'Ends the waits of this session for a message; each is answered with an error, and nothing is taken.',
    params: { connector: { kind: 'string?', doc: 'Name of the connector; absent: all of them.' } },
    result: '`ok`, `cancelled`: how many calls waited',
  }),
  'debug.setGate': method<Ok>()({
    doc: 'Says how freely event sources take messages, for all clients. All gates open when the last client leaves.',
    params: {
      position: {
        kind: 'string',
        doc: '`open`: as in production; `single`: one after another; `demand`: one for each `debug.consume`. Without a connector, sources that cannot be pulled take `single` for `demand`.',
      },
      connector: { kind: 'string?', doc: 'Name of the connector; absent: all of them.' },
    },
    result: '`ok`',
  }),
  'debug.sources': method<{ readonly sources: readonly EventSourceEntry[] }>()({
    doc: 'Every event source as it is now.',
    params: {},
    result:
      '`sources`: each with `connector`, `type`, `source`, `flows`, `manualConsume`, `ready` (messages in the queue, null when not known), `unacked` (held by this service), `prefetch`, `position`',
  }),
  'debug.figures': method<{ readonly sources: readonly SourceFigures[] }>()({
    doc: 'What brokers say of the places that messages come from, in the whole place, whichever process takes from it. It changes nothing; a broker is given one second.',
    params: { connector: { kind: 'string?', doc: 'Name of the connector; absent: every event source.' } },
    result:
      '`sources`: each with `connector` and `places` (null when its broker says nothing), each with `source` and what the broker says: `ready` (messages that wait; of a log its lag), `unacknowledged`, `consumers`, `arrived` and `done` (messages that ever came and deliveries that were ever settled: two looks make a rate), `partitions` (of a log, each with `partition`, `end`, `committed`, `lag`). What it does not say is absent',
  }),
  'debug.outbox': method<{ readonly folder: string | null; readonly messages: readonly OutboxEntry[] }>()({
    doc: 'Notifications that were captured instead of sent (`SVC_CAPTURE`), the newest first, those of earlier runs too.',
    params: {
      limit: { kind: 'int?', doc: 'How many, 200 at most; absent: 100.' },
      before: { kind: 'string?', doc: 'Name of a message: those that are older than it.' },
    },
    result:
      '`folder` (null where notifications are sent), `messages`: each with `name`, `at`, `connector`, `provider`, `medium` (mail, chat, text, push, request), `place` (flow and stage), `to` (the first addressees), `recipients` (how many there are), `title`, `text` (its beginning)',
  }),
  'debug.outboxMessage': method<OutboxMessage>()({
    doc: 'One captured notification, whole.',
    params: { name: { kind: 'string', doc: 'Its name, as `debug.outbox` gives it.' } },
    result:
      '`name`, `at`, `connector`, `provider`, `medium`, `place`, `shown` (`to`, `from`, `title`, `text`, `html`: what its receiver sees), `request` (`method`, `url`, `headers`, `body`, without credentials), `mail` (name of the file with the mail)',
  }),
  'debug.unlock': method<Ok>()({
    doc: 'Lets this session change the state of the service: entries of caches, workflows, schedules. It counts until `debug.lock` or the end of the session. Threads and messages need it not.',
    params: {},
    result: '`ok`',
  }),
  'debug.lock': method<Ok>()({
    doc: 'Takes back what `debug.unlock` allowed.',
    params: {},
    result: '`ok`',
  }),
  ...operationMethods,
  ...cacheMethods,
  'inspect.flows': method<readonly FlowEntry[]>()({
    doc: 'Every flow.',
    params: {},
    result:
      'list of `name`, `from`, `schedule`, `to`, `hasSteps`, `stepCount`, `transform`, `response`, `validate`, `hasCache`, `hasRetry`, `stages`',
  }),
  'inspect.flow': method<FlowEntry>()({
    doc: 'One flow.',
    params: { name: { kind: 'string', doc: 'Name of the flow.' } },
    result: 'an entry as `inspect.flows` has it',
  }),
  'inspect.connectors': method<readonly ConnectorEntry[]>()({
    doc: 'Every connector.',
    params: {},
    result: 'list of `name`, `type`, `driver` (empty when the type has no driver)',
  }),
  'inspect.targets': method<readonly KnownTarget[]>()({
    doc: 'What the server of a connector has that flows can name as target, such as tables, collections and indices. It is asked for two seconds at most, and its answer, or that there was none, is given for five seconds.',
    params: { connector: { kind: 'string', doc: 'Name of the connector.' } },
    result:
      'list of `name`, `kind`, and `columns` (names of columns, at most 10000 in all) of what has them; at most 1000, and none for a connector that does not know it',
  }),
  'inspect.modules': method<ModulesEntry>()({
    doc: 'Plugins that the service declares, and the modules of WebAssembly that run for it. Counts are those of all processes of the service, of each since it started the module.',
    params: {},
    result:
      '`plugins`: each with `name`, `version`, `description`, `source`, `manifest`, `icon` (a file, or null), `hash` (SHA-256 of everything in it, as `plugins.lock` has it; null where it is used in place), and the names of the `connectors` (types), `functions`, `validators` and `sanitizers` that it provides; `modules`: each with `name` (as metrics have it), `plugin` (null where the configuration names the module itself), `path`, `hash` (SHA-256 of its file; null before it was started), `kind` and `serves` (the functions, the validator, the sanitizer or the connector), `limits` (`timeoutMs`, `maxMemoryMb`, `maxBytes`, `instances`), `instances` (those that exist), `waiting` (calls), `calls`, `failed`, `ended` (calls that reached the time limit), `rebuilt` (instances made again after a trap)',
  }),
  'inspect.types': method<readonly TypeEntry[]>()({
    doc: 'Every type.',
    params: {},
    result:
      'list of `name`, `fields` (each `name`, `type`, `required`, `sample`: a value that passes its checks, of another type an empty object; null where only the author of the type can say one, as behind a pattern)',
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
