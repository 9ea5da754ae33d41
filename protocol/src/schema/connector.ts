import type { BlockSpec } from './block.ts';

/** What a connector is to people who look at a picture of a service. */
export type ConnectorKind = 'api' | 'db' | 'queue' | 'http' | 'cache' | 'file' | 'notify' | 'time';

/** What a connector declares beyond its own block: how flows may use it. */
export interface ConnectorSpec<C extends BlockSpec = BlockSpec> {
  /** The recommended spelling of `type`. */
  readonly type: string;
  /** The recommended spelling of `driver`, when the type has drivers. */
  readonly driver?: string | undefined;
  /** Other spellings, compared without regard to case. */
  readonly typeAliases: readonly string[];
  readonly driverAliases: readonly string[];
  /** This entry is used when `driver` is not written. */
  readonly defaultDriver: boolean;
  /** The name that programs read (metrics, inspect): the specification's neutral word. */
  readonly canonical: string;
  readonly kind?: ConnectorKind | undefined;
  readonly config: C;
  /** What `operation "name"` blocks of this connector may say; absent: it has none. */
  readonly operation?: BlockSpec | undefined;
  readonly source?: SourceSpec | undefined;
  readonly target?: TargetSpec | undefined;
  /** May be named where a block asks for cache storage. */
  readonly storage: boolean;
}

export interface SourceSpec {
  /** Whether `from.operation` must be written, or only where an attribute of the connector's own block is absent. */
  readonly operation: OperationNeed | RequiredUnless;
  /** `request` sources answer their caller, `stream` sources settle a delivery. */
  readonly style: 'request' | 'stream';
  readonly placement: 'every-worker' | 'one-worker';
  /**
   * False: two connectors of this kind with the same peer disturb each other (one client id, one slot), so that a changed
   * one is closed before its successor opens. Absent: they may overlap.
   */
  readonly coexists?: boolean | undefined;
  /**
   * Its attribute `port` is one where this process listens for HTTP, at its `host`; several connectors may name the same
   * address. Absent: a port is that of another server.
   */
  readonly listens?: 'http' | undefined;
  /**
   * What is served at the address for an operation, or for the connector itself without one: `GET /orders/:id`, or
   * `UPGRADE /chat` where connections change to another protocol. Pure: it runs while people type.
   */
  readonly serves?: ((config: ConnectorValues, operation: string | undefined) => readonly string[]) | undefined;
  /** Variables below `input` that every message of this source has, with their documentation. */
  readonly input: Readonly<Record<string, string>>;
  /** Names of the parameters in an operation, which are variables below `input` too. Pure. */
  readonly parameters?: ((operation: string) => readonly string[]) | undefined;
  /** Why an operation is malformed, or undefined when it is well formed. Pure: it runs while people type. */
  readonly checkOperation?: ((operation: string, config: ConnectorValues) => string | undefined) | undefined;
  /** What an operation begins with or is, for those who write one: `GET /`, `INSERT`. */
  readonly offers?: readonly string[] | undefined;
}

export type OperationNeed = 'required' | 'optional' | 'none';

export interface RequiredUnless {
  /** The path of the attribute: blocks, then its name. */
  readonly requiredUnless: readonly string[];
}

/** The decoded block of a connector, as far as it was written. */
export type ConnectorValues = Readonly<Record<string, unknown>>;

/** Whether flows must name an operation of this source. */
export function operationNeed({ operation }: SourceSpec, config: ConnectorValues): OperationNeed {
  if (typeof operation === 'string') return operation;
  let value: unknown = config;
  for (const name of operation.requiredUnless) value = (value as ConnectorValues | undefined)?.[name];
  return value === undefined ? 'required' : 'optional';
}

export interface TargetSpec {
  /** What an operation begins with or is, for those who write one: `GET /`, `INSERT`. */
  readonly offers?: readonly string[] | undefined;
  readonly abilities: readonly ('read' | 'write' | 'call')[];
  /** Whether `headers` may be written on `to`, `step` and `enrich`. */
  readonly headers: boolean;
  /** Whether `transaction` may be written in `to`. */
  readonly transactions: boolean;
  /** What may be written on `to` and `step` beside what every target takes; elsewhere it would have no effect. */
  readonly takes: readonly ('query' | 'query_filter' | 'envelope' | 'format')[];
  /** A `to` must carry at least one of these. */
  readonly needsOneOf: readonly string[];
  /** Why an operation that is no named one is malformed, or undefined. Pure. */
  readonly checkOperation?: ((operation: string) => string | undefined) | undefined;
  /** Attribute of the connector that lists the targets which a message may name. */
  readonly listsTargets?: string | undefined;
  /** Why a target is malformed, or undefined. Pure. */
  readonly checkTarget?: ((target: string) => string | undefined) | undefined;
}

interface ConnectorOptions<C extends BlockSpec> {
  readonly type: string;
  readonly driver?: string;
  readonly typeAliases?: readonly string[];
  readonly driverAliases?: readonly string[];
  readonly defaultDriver?: boolean;
  readonly canonical?: string;
  readonly kind?: ConnectorKind;
  readonly config: C;
  readonly operation?: BlockSpec;
  readonly source?: SourceSpec;
  readonly target?: TargetSpec;
  readonly storage?: boolean;
}

/** Declares a connector, or one driver of a connector type. */
export function connector<const C extends BlockSpec>(options: ConnectorOptions<C>): ConnectorSpec<C> {
  return Object.freeze({
    typeAliases: [],
    driverAliases: [],
    defaultDriver: false,
    storage: false,
    canonical: options.driver ?? options.type,
    ...options,
  });
}
