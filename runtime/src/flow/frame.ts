import { Fields } from '@svc/protocol/cel';
import { ContentOwner } from '../contracts/content.ts';
import type { Auth, Message } from '../contracts/message.ts';
import type { DropCounts, Outcome } from '../contracts/outcome.ts';
import type { StatementRunner } from '../contracts/sql.ts';
import type { Lease } from '../sync/lease.ts';
import type { Claim } from './stages/dedupe/claim.ts';

type Variables = Record<string, unknown>;

/**
 * What one message carries through its flow. It is the activation of every expression: the properties above the line
 * are the variables of document 1, read in place and never copied.
 */
export class Frame {
  input: Variables;
  /** The transform's fields so far, then its result; in `response` the destination's answer. */
  output: unknown;
  /** Results of steps by name; shared and empty until the first one is kept. */
  step: Variables;
  /** Results of enrichments by name; shared and empty until the first one is kept. */
  enriched: Variables;
  readonly auth: Auth;
  readonly constants: Readonly<Variables>;
  /** Results captured by the statements of a transaction. */
  captured: Variables | undefined;
  error: Readonly<Variables> | undefined;
  /** The lock that is held; undefined while there is none. */
  lock: Readonly<Variables> | undefined;

  /** What the flow answers with so far: set by steps, transform, destination, response. */
  answer: unknown;
  status: number | undefined;
  headers: Readonly<Record<string, string>> | undefined;
  /** Replaced when the flow goes on after its caller was answered. */
  message: Message;
  /** Answers of destinations that succeeded, by label: another try of the flow does not repeat them. */
  delivered: Map<string, unknown> | undefined;
  /** Rows that destinations say they wrote, those of earlier tries that are not repeated included. */
  affected: number;
  /** Whether the aspects that follow the end of the flow have had their turn: they have one for each message. */
  ended: boolean;
  /** Asked before a drop is taken for what became of the message; undefined: it is. */
  dropCounts: DropCounts | undefined;
  /** What `dedupe` has reserved and will remember once the destinations have succeeded. */
  claim: Claim | undefined;
  /** Facets of `dedupe` that are as they were written last: their destinations are left out. */
  unchanged: ReadonlySet<string> | undefined;
  /** Why the flow failed, when `error_response` turned the failure into an answer. */
  failure: unknown;
  /** What the flow goes on with after its caller was answered; the flow has ended when this has. */
  rest: Promise<Outcome> | undefined;
  /** What must still be held when something is written. */
  leases: readonly Lease[];
  /** The transaction that writes belong to; undefined where each is one by itself. */
  within: StatementRunner | undefined;
  /** Made when the first content comes, for messages that bring no owner; ends with the flow. */
  owner: ContentOwner | undefined;
  /** The debugger's thread; undefined when nobody is attached. */
  thread: unknown;

  constructor(message: Message, constants: Readonly<Variables>) {
    this.input = message.input;
    this.output = undefined;
    this.step = empty;
    this.enriched = empty;
    this.auth = message.auth;
    this.constants = constants;
    this.captured = undefined;
    this.error = undefined;
    this.lock = undefined;
    this.answer = null;
    this.status = undefined;
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

  /** Whoever closes what the contents of the message are kept in. */
  get contents(): ContentOwner {
    return this.message.contents?.() ?? (this.owner ??= new ContentOwner());
  }

  get signal(): AbortSignal | undefined {
    return this.message.signal();
  }

  /** What ends the waits for locks, permits and signals. */
  get patience(): AbortSignal | undefined {
    return this.message.patience?.() ?? this.message.signal();
  }

  /** Older configurations read `ctx`; it is always empty (supplement 3.17). */
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

  /** Forgets what an attempt has made, so that the next one begins with the message. */
  restart(): void {
    this.input = this.message.input;
    this.output = undefined;
    this.step = empty;
    this.enriched = empty;
    this.captured = undefined;
    this.answer = null;
    this.status = undefined;
    this.headers = undefined;
  }
}

const none: readonly Lease[] = Object.freeze([]);
const empty: Variables = Object.freeze(Object.create(null) as Variables);
