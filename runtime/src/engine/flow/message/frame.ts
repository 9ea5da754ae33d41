import { Fields } from '@svc/protocol/cel';
import { ContentOwner } from '../../../foundation/contracts/content.ts';
import type { Auth, Message } from '../../../foundation/contracts/message.ts';
import type { DropCounts, Outcome } from '../../../foundation/contracts/outcome.ts';
import type { StatementRunner } from '../../../foundation/contracts/sql.ts';
import type { Lease } from '../../../platform/sync/lease.ts';
import type { Claim } from '../stages/dedupe/claim.ts';

type Variables = Record<string, unknown>;

/** Rules that an `output` was built by. */
export interface Shaping {
  /** Whether a field, or with undefined every field, is the same when the message of the scope comes again. */
  repeats(field: string | undefined, scope: object): boolean;
}

/**
 * The state of one message in its flow. It is the activation of every expression: the properties above the line are the
 * variables of expressions, read in place and never copied.
 */
export class Frame {
  input: Variables;
  /** The transform's fields so far, then its result; in `response` the destination's answer. */
  output: unknown;
  /** The object that is `output` where the rules that built it are known, and these rules. */
  shaped: unknown;
  shaping: Shaping | undefined;
  /** Results of steps by name; shared and empty until the first one is kept. */
  step: Variables;
  /** Results of enrichments by name; shared and empty until the first one is kept. */
  enriched: Variables;
  readonly auth: Auth;
  readonly constants: Readonly<Variables>;
  /** Results captured by the statements of a transaction. */
  captured: Variables | undefined;
  error: Readonly<Variables> | undefined;
  /** The lock that is held; undefined without one. */
  lock: Readonly<Variables> | undefined;

  /** What the flow answers with so far: set by steps, transform, destination, response. */
  answer: unknown;
  status: number | undefined;
  /** The status of gRPC that the answer ends with, 0 to 16. */
  grpcStatus: number | undefined;
  headers: Readonly<Record<string, string>> | undefined;
  /** Replaced when the flow continues after its caller was answered. */
  message: Message;
  /** Answers of destinations that succeeded, by label: another attempt of the flow does not repeat them. */
  delivered: Map<string, unknown> | undefined;
  /** Rows that destinations report as written, including those of earlier attempts that are not repeated. */
  affected: number;
  /** Whether the aspects that follow the end of the flow have run: they run once for each message. */
  ended: boolean;
  /** Called before a drop counts as the outcome of the message; undefined: it counts. */
  dropCounts: DropCounts | undefined;
  /** What `dedupe` has reserved and will store once the destinations have succeeded. */
  claim: Claim | undefined;
  /** Facets of `dedupe` that have not changed since they were written last: their destinations are skipped. */
  unchanged: ReadonlySet<string> | undefined;
  /** Why the flow failed, when `error_response` turned the failure into an answer. */
  failure: unknown;
  /** The work with which the flow continues after its caller was answered; the flow has ended when this has. */
  rest: Promise<Outcome> | undefined;
  /** What must still be held when something is written. */
  leases: readonly Lease[];
  /** The transaction that writes belong to; undefined when each write is a transaction by itself. */
  within: StatementRunner | undefined;
  /** Made when the first content comes, for messages that bring no owner; ends with the flow. */
  owner: ContentOwner | undefined;
  /** The debugger's thread; undefined when no debugger is attached. */
  thread: unknown;

  constructor(message: Message, constants: Readonly<Variables>) {
    this.input = message.input;
    this.output = undefined;
    this.shaped = undefined;
    this.shaping = undefined;
    this.step = empty;
    this.enriched = empty;
    this.auth = message.auth;
    this.constants = constants;
    this.captured = undefined;
    this.error = undefined;
    this.lock = undefined;
    this.answer = null;
    this.status = undefined;
    this.grpcStatus = undefined;
    this.headers = undefined;
    this.message = message;
    this.delivered = undefined;
    this.affected = 0;
    this.ended = false;
    this.dropCounts = undefined;
    this.claim = undefined;
    this.unchanged = undefined;
    this.failure = undefined;
    this.rest = undefined;
    this.leases = none;
    this.within = undefined;
    this.owner = undefined;
    this.thread = undefined;
  }

  /** The owner of the contents of the message, which closes them. */
  get contents(): ContentOwner {
    return this.message.contents?.() ?? (this.owner ??= new ContentOwner());
  }

  get signal(): AbortSignal | undefined {
    return this.message.signal();
  }

  /** Aborts the waits for locks, permits and signals. */
  get waitSignal(): AbortSignal | undefined {
    return this.message.waitSignal?.() ?? this.message.signal();
  }

  /** Whether the path reads the same when the message comes again. */
  isSame([variable = '', field]: readonly string[]): boolean {
    if (variable === 'input') return this.input === this.message.input;
    if (variable !== 'output') return ofMessage.has(variable);
    return this.shaping !== undefined && this.output === this.shaped && this.shaping.repeats(field, this);
  }

  /** Read by older configurations; always empty. */
  get ctx(): Readonly<Variables> {
    return empty;
  }

  keepStep(name: string, result: unknown): void {
    if (this.step === empty) this.step = new Fields();
    this.step[name] = result;
  }

  keepEnriched(name: string, result: unknown): void {
    if (this.enriched === empty) this.enriched = new Fields();
    this.enriched[name] = result;
  }

  /** Discards what an attempt has made, so that the next one begins with the message. */
  restart(): void {
    this.input = this.message.input;
    this.output = undefined;
    this.step = empty;
    this.enriched = empty;
    this.captured = undefined;
    this.answer = null;
    this.status = undefined;
    this.grpcStatus = undefined;
    this.headers = undefined;
  }
}

/** What a message and its configuration say once for every try; all else may be answered otherwise. */
const ofMessage: ReadonlySet<string> = new Set(['auth', 'constants', 'ctx']);

const none: readonly Lease[] = Object.freeze([]);
const empty: Variables = Object.freeze(Object.create(null) as Variables);
