import type { KnownTarget } from '@svc/protocol/wire';
import type { CallResult } from '../../foundation/contracts/call-result.ts';
import type { Connector, ConnectorServices } from '../../foundation/contracts/connector.ts';
import type { RunningModule } from '../../foundation/contracts/modules.ts';
import type { ProfileObserver } from '../../foundation/contracts/observer.ts';
import type { Transactions } from '../../foundation/contracts/sql.ts';
import type { Storage } from '../../foundation/contracts/storage.ts';
import type { CallDescription, CallRequest, Execute, Target } from '../../foundation/contracts/target.ts';
import { asFailure } from '../../foundation/errors/classify.ts';
import { Failure } from '../../foundation/errors/failure.ts';
import { fallsOver } from './failover.ts';
import { Selection, type SelectionOptions } from './selection.ts';
import { mapResult, type RowField } from './transform.ts';

/** One `profile` block. */
export interface Profile {
  readonly name: string;
  readonly connector: Connector;
  /** Compiled fields of its `transform`. */
  readonly transform?: readonly RowField[] | undefined;
  /** What this profile does for the operation that a call names; absent, or undefined: the call reaches it as it is. */
  readonly own?: ((call: CallDescription) => OwnOperation | undefined) | undefined;
}

/** An operation that a profile declares itself. */
export interface OwnOperation {
  readonly call: CallDescription;
  /** Takes requests of the flow for what the profile carries out, and holds both to what the operation declares. */
  prepare(execute: Execute): Execute;
}

/** A connector made of others: every use goes to the selected profile, and to the next when that one is unavailable. */
export class ProfiledConnector implements Connector, Target {
  readonly name: string;
  readonly target: Target | undefined;
  readonly storage?: Storage;
  readonly #profiles: ReadonlyMap<string, Profile>;
  readonly #selection: Selection;
  readonly #services: Pick<ConnectorServices, 'log' | 'clock'>;
  readonly #observer: ProfileObserver;
  readonly #open = new Set<string>();
  #selected: string | undefined;

  constructor(
    name: string,
    profiles: readonly Profile[],
    selection: SelectionOptions,
    services: Pick<ConnectorServices, 'log' | 'clock'>,
    observer: ProfileObserver,
  ) {
    this.name = name;
    this.#profiles = new Map(profiles.map((profile) => [profile.name, profile]));
    this.#selection = new Selection(name, this.#profiles.keys(), selection, services.log);
    this.#services = services;
    this.#observer = observer;
    this.target = profiles.some(({ connector }) => connector.target) ? this : undefined;
    const standard = this.#standard();
    if (standard?.connector.storage) this.storage = standard.connector.storage;
  }

  /**
   * A transaction runs on the profile that is selected without a message, and on no other: what it has done cannot be
   * known to be undone. The same is true of storage: a key in another store would be another key.
   */
  get transactions(): Transactions | undefined {
    return this.#standard()?.connector.target?.transactions;
  }

  /** Opens every profile. One that fails is left out with a warning, unless it is the one to be used. */
  open(signal: AbortSignal): Promise<void> {
    return this.#openEach((connector) => connector.open(signal));
  }

  openTarget(signal: AbortSignal): Promise<void> {
    return this.#openEach((connector) => connector.openTarget?.(signal) ?? connector.open(signal));
  }

  async #openEach(open: (connector: Connector) => Promise<void>): Promise<void> {
    const profiles = [...this.#profiles.values()];
    const outcomes = await Promise.allSettled(profiles.map(({ connector }) => open(connector)));
    const standard = this.#selection.atStart();
    let fatal: Failure | undefined;
    outcomes.forEach((outcome, at) => {
      const { name } = profiles[at] as Profile;
      if (outcome.status === 'fulfilled') {
        this.#open.add(name);
        return;
      }
      const failure = asFailure(outcome.reason, { connector: this.name });
      if (name === standard) fatal = failure;
      else this.#services.log.warn('a profile cannot be used', { profile: name, reason: failure.message });
    });
    if (this.#open.size === 0) fatal ??= new Failure('connector_refused', 'no profile can be used');
    if (fatal === undefined) {
      if (standard !== undefined) this.#select(standard);
      return;
    }
    await this.close();
    const message = standard === undefined ? fatal.message : `profile "${standard}": ${fatal.message}`;
    throw new Failure(fatal.code, message, { cause: fatal, at: { connector: this.name } });
  }

  async close(cut?: AbortSignal): Promise<void> {
    this.#open.clear();
    const profiles = [...this.#profiles.values()];
    const outcomes = await Promise.allSettled(profiles.map(({ connector }) => connector.close(cut)));
    outcomes.forEach((outcome, at) => {
      if (outcome.status === 'fulfilled') return;
      const { message } = asFailure(outcome.reason);
      this.#services.log.warn('a profile did not close', { profile: (profiles[at] as Profile).name, reason: message });
    });
  }

  /** As healthy as the profile in use. */
  async check(signal: AbortSignal): Promise<string | undefined> {
    const name = this.#selected ?? this.#selection.atStart();
    if (name === undefined) return undefined;
    if (!this.#open.has(name)) throw this.#closed(name);
    const reason = await this.#profiles.get(name)?.connector.check?.(signal);
    return typeof reason === 'string' ? reason : undefined;
  }

  /** Those of all profiles: each is open. */
  get modules(): readonly RunningModule[] {
    return [...this.#profiles.values()].flatMap(({ connector }) => connector.modules ?? []);
  }

  /** Those of the profile in use. */
  async knownTargets(signal: AbortSignal): Promise<readonly KnownTarget[]> {
    const name = this.#selected ?? this.#selection.atStart();
    if (name === undefined || !this.#open.has(name)) return [];
    return (await this.#profiles.get(name)?.connector.knownTargets?.(signal)) ?? [];
  }

  prepare(call: CallDescription): Execute {
    const prepared = new Map<string, Execute>();
    for (const { name, connector, own, transform } of this.#profiles.values()) {
      const operation = own?.(call);
      const described = operation?.call ?? call;
      // A transform reads the answer.
      const execute = connector.target?.prepare(transform === undefined ? described : { ...described, once: false });
      if (execute === undefined) continue;
      const shaped: Execute = async (request) => mapResult(described.verb, transform, await execute(request));
      prepared.set(name, operation?.prepare(shaped) ?? shaped);
    }
    return (request) => this.#execute(prepared, request);
  }

  async #execute(prepared: ReadonlyMap<string, Execute>, request: CallRequest): Promise<CallResult> {
    const active = this.#selection.active(request.input);
    this.#select(active);
    const failures: Failure[] = [];
    let previous: string | undefined;
    for (const name of this.#selection.order(active)) {
      if (previous !== undefined) this.#observer.fellBack(this.name, previous, name);
      previous = name;
      const outcome = await this.#try(name, prepared.get(name), request);
      if (!(outcome instanceof Failure)) return outcome;
      if (!fallsOver(outcome) || request.signal?.aborted) throw outcome;
      failures.push(outcome);
    }
    throw this.#allFailed(failures);
  }

  async #try(name: string, execute: Execute | undefined, request: CallRequest): Promise<CallResult | Failure> {
    const { clock } = this.#services;
    const started = clock.reading();
    let failure: Failure | undefined;
    try {
      if (!this.#open.has(name)) throw this.#closed(name);
      if (execute === undefined) {
        throw new Failure('connector_failed', `profile "${name}" takes no calls`, { retriable: false });
      }
      return await execute(request);
    } catch (error) {
      failure = asFailure(error, { connector: this.name });
      return failure;
    } finally {
      this.#observer.requested(this.name, name, failure?.code, clock.since(started) / 1000);
    }
  }

  /** One failure for all: the last one, with the others as its cause. */
  #allFailed(failures: readonly Failure[]): Failure {
    const last = failures.at(-1) as Failure;
    if (failures.length === 1) return last;
    const { code, upstream, retryAfter, retriable, passes, at } = last;
    const message = `all profiles failed for connector ${this.name}: ${last.message}`;
    return new Failure(code, message, {
      cause: new AggregateError(failures),
      upstream,
      retryAfter,
      retriable,
      passes,
      at,
    });
  }

  #standard(): Profile | undefined {
    const name = this.#selection.atStart();
    return name === undefined ? undefined : this.#profiles.get(name);
  }

  #select(name: string): void {
    if (this.#selected === name) return;
    this.#selected = name;
    this.#observer.selected(this.name, name);
  }

  #closed(name: string): Failure {
    return new Failure('connector_refused', `profile "${name}" is not open`, { at: { connector: this.name } });
  }
}
