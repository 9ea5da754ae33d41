import type { BlockSpec } from './block.ts';
import type { ConnectorAdvice } from './connector-advice.ts';
import type { OperationParameters } from './operation-parameters.ts';
import type { ServerPlace, SpokenForm } from './server.ts';
import type { SoleMember } from './sole-member.ts';
import type { ArgumentSource } from './sources.ts';

/** What a connector is to people who look at a picture of a service. */
export type ConnectorKind = 'api' | 'db' | 'queue' | 'http' | 'cache' | 'file' | 'notify' | 'time';

/** What a connector declares beyond its own block: how flows may use it. */
export interface ConnectorSpec<C extends BlockSpec = BlockSpec> {
  /** The recommended spelling of `type`. */
  readonly type: string;
  /** The recommended spelling of `driver`, when the type has drivers. */
  readonly driver?: string | undefined;
  /** The attribute that says the driver. Absent: `driver`. The same for all drivers of a type. */
  readonly driverWord?: string | undefined;
  /** Other spellings, compared without regard to case. */
  readonly typeAliases: readonly string[];
  readonly driverAliases: readonly string[];
  /** This entry is used when `driver` is not written. */
  readonly defaultDriver: boolean;
  /** This entry is used when `driver` is not written and one of these blocks or attributes is: it says where the connector reaches. */
  readonly impliedBy?: string | readonly string[] | undefined;
  /** The name that programs read (metrics, inspect): the specification's neutral word. */
  readonly canonical: string;
  readonly kind?: ConnectorKind | undefined;
  /** File of its icon (SVG), relative to the directory of the configuration. Absent: that of its kind. */
  readonly icon?: string | undefined;
  readonly config: C;
  /** What `operation "name"` blocks of this connector may say; absent: it has no such blocks. */
  readonly operation?: BlockSpec | undefined;
  readonly source?: SourceSpec | undefined;
  readonly target?: TargetSpec | undefined;
  /** How it is described to those who exchange messages with it. Absent: from what is usual (`ChannelsSpec`). */
  readonly channels?: ChannelsSpec | undefined;
  /** What its author should know of a block that is in force, or undefined. Pure: it runs while people type. */
  readonly advise?: ((config: ConnectorValues) => ConnectorAdvice | undefined) | undefined;
  /**
   * How a block in force speaks to its server; undefined where it has several. Pure. Throws for an address that cannot be
   * read.
   */
  readonly speaks?: ((config: ConnectorValues) => SpokenForm | undefined) | undefined;
  /**
   * What may be written in blocks that name it beside what they take of every connector, by the place of the block
   * (`dependent.at` of its spec). Only words that are not shared words of the place reach the connector.
   */
  readonly words: Readonly<Record<string, BlockSpec>>;
  /** May be named where a block asks for cache storage. */
  readonly storage: boolean;
  /** What it stores is known to its process alone: no other process sees it, and it ends with the process. */
  readonly processLocal: boolean;
}

export interface SourceSpec {
  /** Whether `from.operation` must be written, or only where an attribute of the connector's own block is absent. */
  readonly operation: OperationNeed | RequiredUnless;
  /** `request` sources answer their caller, `stream` sources settle a delivery. */
  readonly style: 'request' | 'stream';
  /**
   * Of a `stream` source: operations whose messages have a sender that waits for the answer of their flow; `*` is that
   * of a flow without one, or all of them but some. Absent: no sender waits.
   */
  readonly answers?: readonly string[] | { readonly except: readonly string[] } | undefined;
  /**
   * Of a `stream` source: whether a message that was not settled is delivered again: always, or where attributes of the
   * connector have one of these values, or are written. Absent: never; each message is handled at most once.
   */
  readonly redelivers?:
    | true
    | { readonly where: Readonly<Record<string, readonly ConnectorValue[]>> }
    | WhereWritten
    | undefined;
  /**
   * Of a `stream` source: what is settled is kept as one place, up to the first message that is not. After a restart
   * everything behind that one comes again with it. Absent: each message is settled by itself.
   */
  readonly contiguous?: true | undefined;
  /**
   * Of a `stream` source: whether a debugger can take one message on demand (`EventSource.pull`). Absent: it cannot.
   */
  readonly pulls?: true | WhereWritten | undefined;
  /** Which workers have it: every one, or one of them; every one only where that is written, and else one. */
  readonly placement: 'every-worker' | 'one-worker' | { readonly everyWorker: WhereWritten };
  /**
   * False: two connectors of this kind with the same peer disturb each other (one client id, one slot), so that a
   * changed one is closed before its successor opens. Absent: they may overlap.
   */
  readonly coexists?: boolean | undefined;
  /**
   * Its attribute `port` is one where this process listens, at its `host`: for HTTP, where several connectors may name the
   * same address, or alone. Absent: a port is that of another server.
   */
  readonly listens?: 'http' | 'alone' | undefined;
  /**
   * Its operations are routes, such as `GET /orders/:id`: requests of this method and path are answered by their flow.
   */
  readonly routes?: boolean | undefined;
  /**
   * What is served at the address for an operation, or for the connector itself without one: `GET /orders/:id`, or
   * `UPGRADE /chat` where connections change to another protocol. Pure: it runs while people type.
   */
  readonly serves?: ((config: ConnectorValues, operation: string | undefined) => readonly string[]) | undefined;
  /**
   * What it serves at the address of every connector whose operations are routes: `POST /hooks`. Pure.
   */
  readonly beside?: ((config: ConnectorValues) => readonly string[]) | undefined;
  /** Why a connector with this block takes no messages, or undefined when it does. Pure: it runs while people type. */
  readonly checkConfig?: ((config: ConnectorValues) => string | undefined) | undefined;
  /** Variables below `input` that every message of this source has, with their documentation. */
  readonly input: Readonly<Record<string, string>>;
  /** How callers name rows beside a path: by `arguments` of an operation, or by a `body`, which may mean other things. */
  readonly names?: 'arguments' | 'body' | undefined;
  /** Names of the parameters in an operation, which are variables below `input` too. Pure. */
  readonly parameters?: ((operation: string) => readonly string[]) | undefined;
  /** Why an operation is malformed, or undefined when it is well formed. Pure: it runs while people type. */
  readonly checkOperation?: ((operation: string, config: ConnectorValues) => string | undefined) | undefined;
  /** What an operation begins with or is, for those who write one: `GET /`, `INSERT`. */
  readonly offers?: readonly string[] | undefined;
  /** What a flow of an operation does. Absent: a request reads unless it has a method that writes, a message creates. Pure. */
  readonly verb?: ((operation: string | undefined) => 'read' | 'create' | 'update' | 'delete') | undefined;
  /** The types of the configuration are published to its callers, with what flows return and ask for. */
  readonly typed?: true | undefined;
  /**
   * Where one of these is written, the source keeps in the memory of its process what every other one would have to know: it
   * is in one process alone.
   */
  readonly remembers?: WhereWritten | undefined;
  /** Where one of these is written, the source is known by that name at its server, which one process at a time may have. */
  readonly namesProcess?: WhereWritten | undefined;
  /** Who the source is at its server, where that ends another one of the same name. Undefined: any number may be there. Required values may be absent. Pure. */
  readonly member?: ((config: ConnectorValues) => SoleMember | undefined) | undefined;
  /** The files that its block names are checked with the configuration: `file-checks.ts` in its folder does it. */
  readonly checksFiles?: true | undefined;
  /** Of what a running service knows at the server of the connector, the kinds that flows can begin with. Absent: all. */
  readonly begins?: readonly string[] | undefined;
}

/** A promise that holds where at least one of these is written in the block: paths of blocks and a name. */
export interface WhereWritten {
  readonly whereWritten: readonly (readonly string[])[];
}

export type OperationNeed = 'required' | 'optional' | 'none';

export interface RequiredUnless {
  /** The path of the attribute: blocks, then its name; or several, of which one is enough. */
  readonly requiredUnless: readonly string[] | readonly (readonly string[])[];
}

/** The attributes of which one must be written where the operation is not. */
export function pathsOf({ requiredUnless }: RequiredUnless): readonly (readonly string[])[] {
  return requiredUnless.every((part) => typeof part === 'string')
    ? [requiredUnless as readonly string[]]
    : (requiredUnless as readonly (readonly string[])[]);
}

/** The decoded block of a connector, as far as it was written. */
export type ConnectorValues = Readonly<Record<string, unknown>>;

/** A plain value of an attribute. */
export type ConnectorValue = string | number | boolean;

/** Whether a message that was not settled is delivered again to a connector with this block. */
export function isRedelivered({ redelivers }: SourceSpec, config: ConnectorValues): boolean {
  if (redelivers === undefined || redelivers === true) return redelivers === true;
  if ('whereWritten' in redelivers) return isOneWritten(redelivers, config);
  return Object.entries(redelivers.where).every(([name, values]) => values.includes(config[name] as ConnectorValue));
}

/** Whether a debugger can take one message of a connector with this block on demand. */
export function isPulled({ pulls }: SourceSpec, config: ConnectorValues): boolean {
  return pulls === true || (pulls !== undefined && isOneWritten(pulls, config));
}

/** Whether one worker of a service has the source of a connector with this block. */
export function runsInOneWorker({ placement }: SourceSpec, config: ConnectorValues): boolean {
  return typeof placement === 'string' ? placement === 'one-worker' : !isOneWritten(placement.everyWorker, config);
}

/** Which of the words is written by which a source keeps in its process what others would have to know. */
export function rememberedBy({ remembers }: SourceSpec, config: ConnectorValues): readonly string[] | undefined {
  return remembers?.whereWritten.find((path) => valueAt(config, path) !== undefined);
}

/** Which of the words is written by which a server knows one process. */
export function processNamedBy({ namesProcess }: SourceSpec, config: ConnectorValues): readonly string[] | undefined {
  return namesProcess?.whereWritten.find((path) => valueAt(config, path) !== undefined);
}

function isOneWritten({ whereWritten }: WhereWritten, config: ConnectorValues): boolean {
  return whereWritten.some((path) => valueAt(config, path) !== undefined);
}

function valueAt(config: ConnectorValues, path: readonly string[]): unknown {
  let value: unknown = config;
  for (const name of path) value = (value as ConnectorValues | undefined)?.[name];
  return value;
}

/** Whether a sender waits for what flows of this operation answer. */
export function isAnswered({ style, answers }: SourceSpec, operation: string | undefined): boolean {
  if (style === 'request') return true;
  if (answers === undefined) return false;
  return 'except' in answers ? !answers.except.includes(operation ?? '') : answers.includes(operation || '*');
}

/** Whether flows must name an operation of this source. */
export function operationNeed({ operation }: SourceSpec, config: ConnectorValues): OperationNeed {
  if (typeof operation === 'string') return operation;
  return pathsOf(operation).every((path) => valueAt(config, path) === undefined) ? 'required' : 'optional';
}

export interface TargetSpec {
  /** What a running service knows at its server are operations: they are named in `operation` as well as in `target`. */
  readonly knowsOperations?: true | undefined;
  /** The files that its block names are checked with the calls of flows: `file-checks.ts` in its folder does it. */
  readonly checksFiles?: true | undefined;
  /** What an operation begins with or is, for those who write one: `GET /`, `INSERT`. */
  readonly offers?: readonly string[] | undefined;
  readonly abilities: readonly ('read' | 'write' | 'call')[];
  /** A call that says nothing of what it does reads, and changes nothing. */
  readonly readsByDefault?: boolean | undefined;
  /**
   * A call runs something, which may change anything, whatever the flow does with its answer. It needs neither operation
   * nor target.
   */
  readonly runs?: true | undefined;
  /**
   * What an operation, or a target in its place, does by its text; undefined where it does not say. Absent: the
   * words and methods that every connector knows say it. Pure.
   */
  readonly effect?: ((operation: string) => 'reads' | 'writes' | undefined) | undefined;
  /** A `to` must carry at least one of these. */
  readonly needsOneOf: readonly string[];
  /** Why an operation that is not a named one is malformed, or undefined. Pure. */
  readonly checkOperation?: ((operation: string) => string | undefined) | undefined;
  /**
   * What `params` may say of an operation. `named` is the block of the named operation that is asked, `config` that of the
   * connector. Absent, or undefined for an operation: anything. Pure.
   */
  readonly parameters?:
    | ((
        operation: string | undefined,
        named: ConnectorValues | undefined,
        config?: ConnectorValues,
      ) => OperationParameters | undefined)
    | undefined;
  /** Attribute of the connector that lists the targets which a message may name. */
  readonly listsTargets?: string | undefined;
  /** A message names no target that is not listed. Absent: without a list it may name any. */
  readonly namesListed?: true | undefined;
  /** Attribute of the connector that gives the target of calls without one; such a call needs either. */
  readonly defaultTarget?: string | undefined;
  /** Why a call cannot be carried out whatever the message, or undefined. Pure. */
  readonly checkCall?: ((call: WrittenCall, config: ConnectorValues) => string | CallProblem | undefined) | undefined;
  /** Why a named operation cannot be carried out in any flow, or undefined. Pure. */
  readonly checkNamed?: ((named: ConnectorValues) => CallProblem | undefined) | undefined;
  /** What is wrong with a statement of a transaction, or the names of its parameters. Absent: it has no transactions. Pure. */
  readonly checkStatement?: ((statement: string) => string | readonly string[]) | undefined;
  /**
   * Whether an operation gives rows one after another, however many there are (`Target.prepareScan`), so that a batch can
   * read them. Absent: none does. Pure.
   */
  readonly scans?: ((operation: string | undefined) => boolean) | undefined;
  /**
   * Fields of parameters and payloads that may be a file: its bytes are taken once, from the first one, while they come.
   * Absent: of every file, all bytes must have come.
   */
  readonly forwards?: readonly string[] | undefined;
  /**
   * A flow that was asked for something (a GET) gives it what it would have answered, and answers its result. Absent: such a
   * flow reads its destination.
   */
  readonly takesAnswers?: true | undefined;
  /**
   * Whether what an operation answers is a file: `_binary` in base64, `_content_type` and `_filename`, which a flow that answers
   * it as it is sends as bytes. Absent: none does. Pure.
   */
  readonly answersFile?: ((operation: string | undefined) => boolean) | undefined;
  /**
   * Whether what a call answers is a list wherever it is read, be it of one row or none. Absent: one row of a step is the row
   * itself. Pure.
   */
  readonly answersList?: ((call: Pick<WrittenCall, 'verb' | 'operation'>) => boolean) | undefined;
  /** The fields that what is sent may have, where the connector knows them: in a transform, in parameters or in the message. */
  readonly message?: Readonly<Record<string, SentField>> | undefined;
  /** Reading takes a body, which says what is asked for. */
  readonly readsBody?: true | undefined;
  /**
   * Attribute of the connector that names the cache in which it keeps what every process has to know. Absent: it keeps
   * nothing. Where it is not written, that is in the memory of the process.
   */
  readonly keepsIn?: string | undefined;
  /** Why a target is malformed, or undefined. Pure. */
  readonly checkTarget?: ((target: string) => string | undefined) | undefined;
}

/** A field of what is sent. */
export interface SentField {
  readonly doc: string;
  /** Other names under which it is found. */
  readonly spellings?: readonly string[] | undefined;
  /** Without it nothing is sent. */
  readonly required?: true | undefined;
  /** The `target` of a call gives it too. */
  readonly byTarget?: true | undefined;
}

/** What is wrong with a call, and the word that says it. */
export interface CallProblem {
  readonly word: string;
  readonly problem: string;
}

/** What the configuration says of a call, named operations resolved. */
export interface WrittenCall {
  /** The block that asks; undefined where that is not known. */
  readonly place?: 'to' | 'step' | 'enrich' | 'batch' | 'action' | undefined;
  readonly verb: 'read' | 'create' | 'update' | 'delete' | 'call';
  readonly operation: string | undefined;
  /** Undefined when it comes with each message, or is that of the connector. */
  readonly target: string | undefined;
  readonly query: string | undefined;
  /** The block of the named operation. */
  readonly named?: ConnectorValues | undefined;
  /** What is written of the values that messages complete, by the word that holds it. */
  readonly written: Readonly<Record<string, ArgumentSource>>;
  /** The connector's own words that no message changes. */
  readonly words: ConnectorValues;
  /** Names of the parameters that are written; absent where the message gives them. */
  readonly params?: readonly string[] | undefined;
}

/**
 * What messages of a connector are exchanged over, as AsyncAPI describes it. Its functions are pure; `config` is the
 * decoded block.
 */
export interface ChannelsSpec {
  /** The protocol of its servers as AsyncAPI names it. Absent: the canonical name. */
  readonly protocol?: string;
  /** The server. Absent: its host is in `url`, in a list of addresses or in `host` and `port`. */
  readonly server?: (config: ConnectorValues) => ServerPlace;
  /** The address that an operation of a flow takes messages of, with `{name}` for what may vary. Absent: the operation. */
  readonly taken?: (operation: string | undefined, config: ConnectorValues) => string | undefined;
  /**
   * The address that a call sends to: with a target, without one (undefined), or where the message gives it (null).
   * Absent: the target, else what `defaultTarget` names.
   */
  readonly sent?: (target: string | null | undefined, config: ConnectorValues) => string | undefined;
  /** The variable below `input` that is the payload. Absent: its fields are variables themselves. */
  readonly payload?: string;
  /**
   * What `params` of a call say so that its message goes to the address that flows take messages from, and to no other.
   * Absent: nothing needs to be said.
   */
  readonly straight?: ConnectorValues | undefined;
}

interface ConnectorOptions<C extends BlockSpec> {
  readonly type: string;
  readonly driver?: string;
  readonly driverWord?: string;
  readonly typeAliases?: readonly string[];
  readonly driverAliases?: readonly string[];
  readonly defaultDriver?: boolean;
  readonly impliedBy?: string | readonly string[];
  readonly canonical?: string;
  readonly kind?: ConnectorKind;
  readonly icon?: string | undefined;
  readonly config: C;
  readonly operation?: BlockSpec;
  readonly source?: SourceSpec;
  readonly target?: TargetSpec;
  readonly channels?: ChannelsSpec;
  readonly advise?: ConnectorSpec<C>['advise'];
  readonly speaks?: ConnectorSpec<C>['speaks'];
  readonly words?: Readonly<Record<string, BlockSpec>>;
  readonly storage?: boolean;
  readonly processLocal?: boolean;
}

/** Declares a connector, or one driver of a connector type. */
export function connector<const C extends BlockSpec>(options: ConnectorOptions<C>): ConnectorSpec<C> {
  return Object.freeze({
    typeAliases: [],
    driverAliases: [],
    defaultDriver: false,
    storage: false,
    processLocal: false,
    words: {},
    canonical: options.driver ?? options.type,
    ...options,
  });
}
