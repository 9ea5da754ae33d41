import type { Failed } from '../contracts/outcome.ts';
import { type FailureCode, type FailureKind, failures, type Passing } from './failures.ts';

/** One refused field, as callers receive it. `field` is a dotted path (`address.city`, `items[2].sku`). */
export interface FieldProblem {
  readonly field: string;
  /** `required`, `type_mismatch`, or the name of the constraint. */
  readonly code: string;
  readonly message: string;
}

/** Where in the service it happened. */
export interface FailurePlace {
  readonly flow?: string | undefined;
  readonly stage?: string | undefined;
  readonly connector?: string | undefined;
}

export interface FailureOptions {
  readonly cause?: unknown;
  readonly at?: FailurePlace | undefined;
  readonly fields?: readonly FieldProblem[] | undefined;
  /** The answer of a remote system: its status and the text of its body, cut to a few KiB. */
  readonly upstream?: { readonly status: number; readonly body: string } | undefined;
  /** Milliseconds after which trying again makes sense. */
  readonly retryAfter?: number | undefined;
  /** Overrides the kind: a failure that trying again cannot resolve, or one that it can. */
  readonly retriable?: boolean | undefined;
  /** Overrides the kind: the message itself is the reason (`never`), or something else that may change. */
  readonly passes?: Passing | undefined;
  /** What the request names, such as a table, does not exist. */
  readonly isTargetMissing?: boolean | undefined;
  /** How the source is to settle the message, where that is a broker's (`on_error`, `on_timeout`). */
  readonly settle?: 'ack' | 'reject' | 'requeue' | undefined;
  /** The answer of the flow that says so (`failureOf`). */
  readonly answered?: Failed | undefined;
}

/** An error with a meaning. Everything that callers, retries, metrics and logs decide is decided by its code. */
export class Failure extends Error {
  override readonly name = 'Failure';
  readonly code: FailureCode;
  readonly at: FailurePlace;
  readonly fields: readonly FieldProblem[] | undefined;
  readonly upstream: { readonly status: number; readonly body: string } | undefined;
  readonly retryAfter: number | undefined;
  readonly retriable: boolean;
  /** Whether the same message may be handled another time. */
  readonly passes: Passing;
  /** Whether it was said for this failure, and does not follow from its kind. */
  readonly isPassingKnown: boolean;
  readonly isTargetMissing: boolean;
  readonly settle: FailureOptions['settle'];
  readonly answered: Failed | undefined;

  constructor(code: FailureCode, message: string, options: FailureOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.at = options.at ?? {};
    this.fields = options.fields;
    this.upstream = options.upstream;
    this.retryAfter = options.retryAfter;
    this.settle = options.settle;
    this.answered = options.answered;
    this.isTargetMissing = options.isTargetMissing === true;
    this.retriable = options.retriable ?? (failures[code].retriable && !isPermanentStatus(options.upstream?.status));
    this.isPassingKnown = options.passes !== undefined;
    this.passes = options.passes ?? (this.retriable ? 'later' : options.upstream ? 'never' : failures[code].passes);
  }

  get kind(): FailureKind {
    return failures[this.code];
  }

  /** The status of HTTP: that of the answer which says so, else that of its code. */
  get status(): number {
    if (this.answered === undefined) return this.kind.status;
    return this.answered.status < 400 ? 500 : this.answered.status;
  }

  /** The same failure with what is not known yet about its place filled in. */
  within(place: FailurePlace): Failure {
    const at = { ...place, ...this.at };
    if (at.flow === this.at.flow && at.stage === this.at.stage && at.connector === this.at.connector) return this;
    return this.#copy({ at });
  }

  /** The same failure, with how the source is to settle the message. */
  settledBy(settle: FailureOptions['settle']): Failure {
    return settle === this.settle ? this : this.#copy({ settle });
  }

  /** The same failure where the message itself is the reason. */
  neverPasses(): Failure {
    return this.passes === 'never' ? this : this.#copy({ passes: 'never', retriable: false });
  }

  /** The same failure where trying again does not help before something has changed. */
  lasting(): Failure {
    return this.retriable ? this.#copy({ retriable: false }) : this;
  }

  /** The same failure with another message, and the present one as its cause. */
  reworded(message: string): Failure {
    return new Failure(this.code, message, { ...this.#options(), cause: this });
  }

  #copy(changed: FailureOptions): Failure {
    const copy = new Failure(this.code, this.message, { ...this.#options(), ...changed });
    if (this.stack !== undefined) copy.stack = this.stack;
    return copy;
  }

  #options(): FailureOptions {
    const { cause, at, fields, upstream, retryAfter, retriable, isTargetMissing, settle, answered } = this;
    const passes = this.isPassingKnown ? this.passes : undefined;
    return { cause, at, fields, upstream, retryAfter, retriable, passes, isTargetMissing, settle, answered };
  }
}

/** 4xx answers say that the request itself is wrong, except those that ask to come back later. */
function isPermanentStatus(status: number | undefined): boolean {
  return status !== undefined && status >= 400 && status < 500 && ![408, 425, 429].includes(status);
}
