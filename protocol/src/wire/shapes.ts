/** Where a thread shall stop. */
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
  /** Instead of stopping, `event.log` carries this text; expressions are in braces. */
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
  /** What it keeps waiting; null when that is not known. */
  readonly holds: ThreadHolds | null;
}

/** A caller that waits for its answer, or a message that a broker holds back, with how many wait behind it. */
export type ThreadHolds =
  | {
      readonly kind: 'request';
      readonly method: string;
      readonly route: string;
      /** Milliseconds that the caller waits at most; pauses do not count. */
      readonly timeoutMs?: number;
      /** What one of several fields of the request asks for, as JSON without credentials, maybe cut; `route` names the field. */
      readonly asked?: string;
    }
  | {
      readonly kind: 'message';
      readonly connector: string;
      readonly source: string;
      /** Of the message; empty when it has no id. */
      readonly id: string;
      readonly sinceMs: number;
      /** Messages in the queue; null when the broker does not say. */
      readonly waiting: number | null;
    };

export interface SourceEntry {
  readonly connector: string;
  /** The canonical name of its spec. */
  readonly type: string;
  /** Queue, or topics joined by commas. */
  readonly source: string;
  /** Whether `debug.consume` can take one message. */
  readonly manualConsume: boolean;
}

export interface EventSourceEntry extends SourceEntry {
  readonly flows: readonly string[];
  /** Messages in the queue; null when the broker does not say. */
  readonly ready: number | null;
  /** Messages that this service holds without having settled them. */
  readonly unacked: number;
  readonly prefetch: number | null;
  /** `open`, `single` or `demand`. */
  readonly position: string;
}

/** What a broker says of a queue, topic or stream; what it does not say is absent. */
export interface PlaceFigures {
  readonly source: string;
  /** Messages that wait; of a log those behind what the group has committed. */
  readonly ready?: number;
  readonly unacknowledged?: number;
  readonly consumers?: number;
  /** Messages that ever came, and deliveries that were ever settled. */
  readonly arrived?: number;
  readonly done?: number;
  readonly partitions?: readonly {
    readonly partition: number;
    readonly end: number;
    readonly committed: number;
    readonly lag: number;
  }[];
}

export interface SourceFigures {
  readonly connector: string;
  /** Null when the broker says nothing. */
  readonly places: readonly PlaceFigures[] | null;
}

/** Why a message was dropped. */
export interface DroppedMessage {
  readonly reason: string;
  /** The block that decided. */
  readonly decidedBy: string;
  /** The expression that decided, as written. */
  readonly expression: string;
  /** `ack`, `reject` or `requeue`. */
  readonly policy: string;
  /** What decided, by name: the values that the expression read, or what was compared. */
  readonly values: Readonly<Record<string, unknown>>;
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
  /**
   * What only expressions at this place read, by name: `result` and `_flow` in an aspect, `error` in a compensation;
   * `auth` where the caller is known, or a hook of sign-in runs the flow.
   */
  readonly others?: Readonly<Record<string, unknown>>;
  readonly rule?: StoppedRule & { readonly result: unknown };
  /** Places that `debug.setVariable` changed and the flow has not replaced since. */
  readonly forced: readonly ForcedValue[];
}

export interface ForcedValue {
  readonly path: readonly string[];
  /** What was there before the first change; null when nothing did. */
  readonly was: unknown;
}

/** A value, or why it is absent. */
export interface ReadValue {
  /** Null when the evaluation failed. */
  readonly value: unknown;
  /** The CEL type of the value; empty when the evaluation failed. */
  readonly type: string;
  /** Why the evaluation failed; empty when it did not. */
  readonly error: string;
}

/** A part of an expression. */
export interface ReadPart extends ReadValue {
  /** Where the part is in the expression, in UTF-16 units. */
  readonly start: number;
  readonly end: number;
  /** 1 for the innermost, and one more than the deepest part inside. */
  readonly depth: number;
  readonly text: string;
}

export interface Reading {
  readonly expression: string;
  /** Inner ones first; the whole is not among them. */
  readonly parts: readonly ReadPart[];
  readonly result: ReadValue;
}

export interface Found {
  readonly matches: readonly { readonly path: readonly string[]; readonly value: unknown }[];
  /** Whether there may be more. */
  readonly truncated: boolean;
}

export interface FlowEntry {
  readonly name: string;
  readonly from: { readonly connector: string; readonly operation: string };
  /** What runs it without a message; the zone is empty where it is not written beside the expression. */
  readonly schedule: { readonly expression: string; readonly timezone: string } | null;
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

/** Something at a connector that flows can name as target. */
export interface KnownTarget {
  readonly name: string;
  /** What it is at its server: `index`, `alias`. */
  readonly kind: string;
  /** Names of its columns in their order, the last ones left out where there are too many; absent: it is without columns. */
  readonly columns?: readonly string[] | undefined;
}

/** A plugin that a service declares. */
export interface PluginEntry {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly source: string;
  /** The file that describes it. */
  readonly manifest: string;
  /** The file of its icon (SVG); null where it has no icon. */
  readonly icon: string | null;
  /** SHA-256 of everything in it, as the lock has it; null where it is used in place. */
  readonly hash: string | null;
  readonly connectors: readonly string[];
  readonly functions: readonly string[];
  readonly validators: readonly string[];
  readonly sanitizers: readonly string[];
}

/** A module of WebAssembly that runs for a service, for one use of it. */
export interface ModuleEntry {
  readonly name: string;
  readonly plugin: string | null;
  readonly path: string;
  /** SHA-256 of its file, in hexadecimal; null before it was started. */
  readonly hash: string | null;
  readonly kind: 'functions' | 'validator' | 'sanitizer' | 'connector';
  /** Names of the functions, of the validator, of the sanitizer or of the connector. */
  readonly serves: readonly string[];
  readonly limits: {
    readonly timeoutMs: number;
    readonly maxMemoryMb: number;
    readonly maxBytes: number;
    readonly instances: number;
  };
  readonly instances: number;
  /** Calls that wait for an instance. */
  readonly waiting: number;
  readonly calls: number;
  readonly failed: number;
  readonly ended: number;
  readonly rebuilt: number;
}

export interface ModulesEntry {
  readonly plugins: readonly PluginEntry[];
  readonly modules: readonly ModuleEntry[];
}

/** A notification that was captured instead of sent, in a list. */
export interface OutboxEntry {
  readonly name: string;
  /** ISO 8601. */
  readonly at: string;
  readonly connector: string;
  /** The provider, as results have it. */
  readonly provider: string;
  /** What it comes as. */
  readonly medium: 'mail' | 'chat' | 'text' | 'push' | 'request';
  /** Flow and stage; absent where one message is for several flows. */
  readonly place?: string | undefined;
  /** The first addressees, as the channel names them: a channel, a number, a device, an address. */
  readonly to: readonly string[];
  /** How many addressees there are. */
  readonly recipients: number;
  /** Such as the subject of a mail. */
  readonly title?: string | undefined;
  /** The beginning of the text. */
  readonly text?: string | undefined;
}

/** A notification that was captured instead of sent. */
export interface OutboxMessage
  extends Pick<OutboxEntry, 'name' | 'at' | 'connector' | 'provider' | 'medium' | 'place'> {
  /** What its receiver sees. */
  readonly shown: {
    readonly to: readonly string[];
    readonly from?: string | undefined;
    readonly title?: string | undefined;
    readonly text?: string | undefined;
    readonly html?: string | undefined;
  };
  /** The request that would be sent, without credentials; absent where the channel has another protocol. */
  readonly request?:
    | {
        readonly method: string;
        readonly url: string;
        readonly headers: Readonly<Record<string, string>>;
        readonly body: string;
      }
    | undefined;
  /** Name of the file with the mail (RFC 5322). */
  readonly mail?: string | undefined;
}

export interface FieldEntry {
  readonly name: string;
  readonly type: string;
  readonly required: boolean;
  /** A value that passes its checks; null where only the author of the type can say one, or it is not given. */
  readonly sample?: unknown;
}

export interface TypeEntry {
  readonly name: string;
  readonly fields: readonly FieldEntry[];
}
