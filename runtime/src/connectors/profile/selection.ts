import { asFailure } from '../../foundation/errors/classify.ts';
import { Failure } from '../../foundation/errors/failure.ts';
import type { Log } from '../../foundation/observe/log.ts';

/** What `select` reads: the message, or nothing at start-up. */
export interface SelectActivation {
  readonly input: Readonly<Record<string, unknown>>;
}

export interface SelectionOptions {
  /** The compiled `select`; throws when it cannot be evaluated. */
  readonly select: ((activation: SelectActivation) => unknown) | undefined;
  readonly default: string | undefined;
  readonly fallback: readonly string[];
}

const nothing: Readonly<Record<string, unknown>> = Object.freeze(Object.create(null) as Record<string, unknown>);

/** Unknown names come with messages: only so many of them are logged. */
const mostWarnings = 20;

/** Decides which profile is used, and which ones after it. */
export class Selection {
  readonly #connector: string;
  readonly #options: SelectionOptions;
  readonly #known: ReadonlySet<string>;
  readonly #log: Log;
  readonly #warned = new Set<string>();
  readonly #orders = new Map<string, readonly string[]>();

  constructor(connector: string, known: Iterable<string>, options: SelectionOptions, log: Log) {
    this.#connector = connector;
    this.#known = new Set(known);
    this.#options = options;
    this.#log = log;
  }

  /** The selected profile. Throws `expression_failed` when `select` fails: the profile is never guessed. */
  active(input: Readonly<Record<string, unknown>> = nothing): string {
    const { select, default: standard } = this.#options;
    const wanted = select === undefined ? '' : this.#evaluate(select, input);
    if (this.#known.has(wanted)) return wanted;
    if (wanted !== '') this.#warn(wanted);
    if (standard !== undefined && this.#known.has(standard)) return standard;
    throw new Failure('connector_failed', `connector "${this.#connector}": no profile is selected`, {
      at: { connector: this.#connector },
      retriable: false,
    });
  }

  /** The profile that is used when no message is there to choose by; undefined when only messages decide. */
  atStart(): string | undefined {
    try {
      return this.active();
    } catch {
      const { default: standard } = this.#options;
      return standard !== undefined && this.#known.has(standard) ? standard : undefined;
    }
  }

  /** The profiles to try in turn, beginning with `active`. */
  order(active: string): readonly string[] {
    let order = this.#orders.get(active);
    if (order === undefined) {
      order = [...new Set([active, ...this.#options.fallback.filter((name) => this.#known.has(name))])];
      this.#orders.set(active, order);
    }
    return order;
  }

  #evaluate(select: (activation: SelectActivation) => unknown, input: SelectActivation['input']): string {
    try {
      const wanted = select({ input });
      return wanted === null || wanted === undefined ? '' : String(wanted);
    } catch (error) {
      throw asFailure(error, { connector: this.#connector });
    }
  }

  #warn(wanted: string): void {
    if (this.#warned.has(wanted) || this.#warned.size >= mostWarnings) return;
    this.#warned.add(wanted);
    this.#log.warn('select names no profile', { selected: wanted, profiles: [...this.#known] });
  }
}
