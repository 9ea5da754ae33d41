import type { EventSource, Intake as Position, Pulled } from '../../foundation/contracts/events.ts';
import type { SourceCounts } from '../../foundation/contracts/observer.ts';
import type { Binding, BoundFlows, Source } from '../../foundation/contracts/source.ts';
import { Failure } from '../../foundation/errors/failure.ts';
import { textOf } from '../../platform/net/connection.ts';
import { fired } from '../../platform/net/fired.ts';
import { Dispatch } from './dispatch/dispatch.ts';
import { Undispatched } from './dispatch/undispatched.ts';
import type { Delivery, Driver, Inlet } from './driver.ts';
import { Endings } from './endings.ts';
import { eventsOf } from './events.ts';
import { InFlight } from './in-flight.ts';
import type { IntakeOptions } from './intake-options.ts';
import { Burial } from './outcome/burial.ts';
import { Drops } from './outcome/drops.ts';
import { FailureStreak } from './outcome/failure-streak.ts';
import { Judging } from './outcome/judging.ts';
import { Rest } from './outcome/rest.ts';
import { type Verdict, Verdicts } from './outcome/verdict.ts';
import { Roster } from './roster.ts';
import { uncounted } from './uncounted.ts';
import { WaitingMessages } from './waiting-messages.ts';

/** Milliseconds between two looks at a source that had nothing to pull. */
const pollEvery = 100;
/** Failed tries after which a message that is never given up goes behind the others. */
const triesInARow = 5;

type Again = Extract<Verdict, { kind: 'again' }>;
/** How deliveries are subscribed to: as many as the window allows, or one at a time. */
type Subscription = { readonly position: 'open' | 'single' };

/**
 * The one engine of everything that takes messages by itself: a driver delivers, this holds at most its window, runs the
 * flows behind each message in its worker pool, and settles it as they say. At least once: a message is acknowledged
 * after its flows, and one that cannot be settled is delivered again by its peer.
 */
export class Intake implements Source, Inlet {
  readonly events: EventSource;
  readonly #driver: Driver;
  readonly #options: IntakeOptions;
  readonly #judging: Judging;
  readonly #counts: SourceCounts;
  readonly #failures: FailureStreak;
  readonly #drops: Drops;
  readonly #burial: Burial;
  #dispatch = Dispatch.none;
  #position: Position = 'open';
  #state: 'new' | 'started' | 'stopped' = 'new';
  #isConnected = false;
  #subscription: Subscription | undefined;
  /** What was delivered before the subscription took room from it. */
  #isShort = false;
  /** The flows in use name other queues or topics than those subscribed to. */
  #resubscribe = false;
  #arranging: Promise<void> = Promise.resolve();
  /** Delivered and not begun. */
  readonly #waiting: WaitingMessages;
  /** Delivered and not settled. */
  readonly #held = new Roster<InFlight>();
  /** Of those, the ones that keep their slot through a pause. */
  readonly #paused = new Set<InFlight>();
  #running = 0;
  #idle: (() => void)[] = [];
  readonly #endings = new Endings();
  /** The pause of all deliveries. */
  readonly #rest: Rest;
  #pulling: Promise<unknown> = Promise.resolve();

  constructor(driver: Driver, options: IntakeOptions) {
    const { log, clock } = options.services;
    this.#driver = driver;
    this.#options = options;
    this.#rest = new Rest(clock);
    this.#counts = options.services.sources?.of(options.connector, driver.type) ?? uncounted;
    this.#waiting = new WaitingMessages(this.#counts);
    this.#drops = new Drops(driver, log, this.#counts);
    this.#burial = new Burial(log, this.#counts);
    this.#failures = new FailureStreak(driver, log);
    const verdicts = new Verdicts(driver.retries, () => clock.elapsed(), log);
    this.#judging = new Judging(verdicts, new Undispatched(driver, log, this.#counts), options);
    const admit = (position: Position) => this.#admit(position);
    this.events = eventsOf(driver, { held: this.#held, admit, pull: (signal) => this.#pull(signal) });
  }

  bind(bindings: readonly Binding[]): BoundFlows {
    const dispatch = new Dispatch(bindings, this.#driver.patterns);
    // What the first configuration names is looked for when the connector opens.
    if (this.#dispatch === Dispatch.none) this.#driver.follow?.(bindings);
    return {
      prepare: () => dispatch.prepare(),
      use: () => this.#use(dispatch),
      ended: () => dispatch.idle(),
    };
  }

  #use(dispatch: Dispatch): void {
    this.#dispatch = dispatch;
    if (this.#driver.isSelective !== true) dispatch.announce(this.#options.services.log, this.#driver);
    if (this.#driver.follow?.(dispatch.bindings) === true) this.#resubscribe = true;
    if (this.#state === 'started') this.#rearrangeOrRenew();
  }

  /** Why nothing is taken that should be; undefined when all is well. */
  get problem(): string | undefined {
    const isRight = this.#wanted === undefined || this.#subscription !== undefined || this.#isShort;
    return isRight ? undefined : 'it does not consume';
  }

  /** Why deliveries pause although messages are wanted; undefined while they do not. */
  get pause(): string | undefined {
    return this.#failures.reason(this.#held.size, this.#rest.isOn);
  }

  async start(): Promise<void> {
    this.#state = 'started';
    await this.#arrange();
  }

  async stop(cut?: AbortSignal): Promise<void> {
    this.#state = 'stopped';
    this.#rest.end();
    await Promise.race([this.#arrange().catch(() => undefined), fired(cut)]);
    for (const inFlight of this.#held.all()) inFlight.endWaits('the service takes no more messages');
    const abort = () => {
      for (const inFlight of this.#held.all()) inFlight.abort('the time to stop is over');
    };
    if (cut?.aborted) abort();
    cut?.addEventListener('abort', abort, { once: true });
    if (this.#running > 0) await new Promise<void>((resolve) => this.#idle.push(resolve));
    cut?.removeEventListener('abort', abort);
    // One whose copy the peer has, and that is not acknowledged when the connection closes, would be there twice.
    await Promise.race([this.#endings.all(), fired(cut)]);
  }

  async connected(): Promise<void> {
    this.#isConnected = true;
    await this.#arrange();
  }

  disconnected(): void {
    this.#isConnected = false;
    this.#subscription = undefined;
    this.#isShort = false;
    this.#waiting.keep([]);
    for (const inFlight of this.#held.all()) inFlight.abandon();
    // Nothing more is said over it.
    this.#endings.forget();
    this.#counts.held(-this.#held.size);
    this.#held.clear();
    this.#paused.clear();
  }

  #admit(position: Position): void {
    if (this.#position === position) return;
    this.#position = position;
    this.#rearrangeOrRenew();
  }

  #rearrangeOrRenew(): void {
    this.#arrange().catch((error: unknown) => this.#options.renew?.(textOf(error)));
  }

  get #wanted(): Subscription['position'] | undefined {
    const consumes = this.#state === 'started' && this.#dispatch.bindings.length > 0 && !this.#rest.isOn;
    return consumes && this.#position !== 'demand' ? this.#position : undefined;
  }

  /** Brings the subscription in line with what is wanted; one change after another. */
  #arrange(): Promise<void> {
    const next = this.#arranging.then(() => this.#rearrange());
    this.#arranging = next.catch(() => undefined);
    return next;
  }

  async #rearrange(): Promise<void> {
    if (!this.#isConnected) return;
    const current = this.#subscription;
    const hasRoom = this.#isShort && this.#held.size === 0;
    if (current !== undefined && (this.#resubscribe || hasRoom || current.position !== this.#wanted)) {
      this.#resubscribe = false;
      this.#subscription = undefined;
      this.#giveBackWaiting();
      await this.#driver.unsubscribe();
    }
    const position = this.#wanted;
    if (position === undefined || this.#subscription !== undefined || !this.#isConnected) return;
    this.#resubscribe = false;
    const window = position === 'single' ? 1 : this.#driver.window;
    const before = this.#driver.countsBySubscription === true ? this.#held.size : 0;
    this.#isShort = before > 0;
    if (before >= window) return;
    const subscription: Subscription = { position };
    this.#subscription = subscription;
    try {
      await this.#driver.subscribe(window - before, (delivery) => this.#receive(subscription, delivery));
    } catch (error) {
      if (this.#subscription === subscription) this.#subscription = undefined;
      throw error;
    }
    this.#begin();
  }

  receive(delivery: Delivery): void {
    this.#receive(undefined, delivery);
  }

  #receive(subscription: Subscription | undefined, delivery: Delivery): void {
    const isSubscribed = this.#subscription !== undefined && this.#subscription === subscription;
    if (delivery.atMostOnce === true && this.#waiting.length >= this.#driver.window) {
      this.#drops.count(isSubscribed ? 'busy' : 'paused');
      return;
    }
    const inFlight = this.#hold(delivery);
    if (isSubscribed && this.#waiting.length === 0 && this.#hasWorker && this.#waiting.isFree(inFlight)) {
      this.#handle(inFlight);
      return;
    }
    this.#waiting.add(inFlight);
    if (isSubscribed) this.#begin();
    else this.#giveBackWaiting();
  }

  /** What cannot go back waits here until it is handled, or is delivered again over another connection. */
  #giveBackWaiting(): void {
    const waiting = this.#waiting.all;
    this.#waiting.keep(waiting.filter(({ delivery }) => !delivery.returnable));
    for (const inFlight of waiting)
      if (inFlight.delivery.returnable) this.#endings.add(inFlight.settle({ kind: 'requeue' }));
  }

  #hold(delivery: Delivery): InFlight {
    const inFlight = new InFlight(delivery, this.#options.services.clock.elapsed(), this.#settled);
    this.#held.add(inFlight);
    this.#counts.held(1);
    return inFlight;
  }

  readonly #settled = (inFlight: InFlight): void => {
    if (this.#held.delete(inFlight)) this.#counts.held(-1);
    this.#paused.delete(inFlight);
    if (this.#isShort && (this.#subscription === undefined || this.#held.size === 0)) this.#rearrangeOrRenew();
  };

  get #hasWorker(): boolean {
    if (this.#state === 'stopped' || this.#subscription === undefined) return false;
    return this.#running < (this.#position === 'open' ? this.#driver.workers : 1);
  }

  #begin(): void {
    if (this.#waiting.length > 0)
      this.#waiting.begin(
        () => this.#hasWorker,
        (inFlight) => this.#handle(inFlight),
      );
  }

  /** One message while nothing is subscribed. Those who asked first are served first. */
  #pull(signal: AbortSignal): Promise<Pulled> {
    const pulled = this.#pulling.then(() => this.#take(signal));
    this.#pulling = pulled.catch(() => undefined);
    return pulled;
  }

  async #take(signal: AbortSignal): Promise<Pulled> {
    const { name } = this.#driver;
    for (;;) {
      signal.throwIfAborted();
      if (this.#state !== 'started' || this.#position !== 'demand')
        throw new Failure('cancelled', `messages of "${name}" cannot be pulled now`);
      const delivery = this.#isConnected ? await this.#driver.take?.().catch(() => undefined) : undefined;
      if (delivery !== undefined) {
        const inFlight = this.#hold(delivery);
        if (!signal.aborted) return { settled: this.#handle(inFlight) ?? Promise.resolve() };
        await inFlight.settle({ kind: 'requeue' });
      } else await this.#options.services.clock.sleep(pollEvery, signal);
    }
  }

  /** Runs the flows and settles the message, or lets it pause. Never throws or rejects; undefined: that is done. */
  #handle(inFlight: InFlight): Promise<void> | undefined {
    this.#waiting.occupy(inFlight);
    this.#running++;
    const verdict = this.#judging.judge(inFlight, this.#dispatch);
    return verdict instanceof Promise
      ? verdict.then((ready) => this.#judged(inFlight, ready))
      : this.#judged(inFlight, verdict);
  }

  #judged(inFlight: InFlight, verdict: Verdict): Promise<void> | undefined {
    const concluding = this.#conclude(inFlight, verdict);
    if (concluding !== undefined) return concluding.then(() => this.#handled());
    this.#handled();
    return undefined;
  }

  /** One worker is free. */
  #handled(): void {
    this.#running--;
    this.#begin();
    if (this.#running === 0) for (const resolve of this.#idle.splice(0)) resolve();
  }

  /** Settles the message, or lets it pause: that is not work under way. Resolves when that is done; undefined: it is. */
  #conclude(inFlight: InFlight, verdict: Verdict): Promise<void> | undefined {
    if (verdict.kind === 'again') return this.#tryAgain(inFlight, verdict);
    if (verdict.kind === 'reject' && inFlight.open && inFlight.delivery.bury)
      return this.#bury(inFlight, verdict.reason);
    this.#failures.ended();
    if (verdict.kind === 'requeue' && inFlight.delivery.keepsPlace === true && this.#state !== 'stopped') {
      this.#waiting.free(inFlight);
      this.#waitFirst(inFlight);
      return undefined;
    }
    if (verdict.kind === 'reject' || (verdict.kind === 'ack' && verdict.isGivenUp === true)) this.#counts.rejected();
    const settling = inFlight.settle(verdict);
    if (settling !== undefined) return settling.then(() => this.#waiting.free(inFlight));
    this.#waiting.free(inFlight);
    return undefined;
  }

  /** A message is settled once it is kept as a dead letter; one that is not is tried again. */
  async #bury(inFlight: InFlight, reason: string): Promise<void> {
    const again = await this.#burial.keep(inFlight.delivery, reason);
    if (again !== undefined) return this.#tryAgain(inFlight, { kind: 'again', ...again });
    this.#failures.ended();
    await inFlight.settle({ kind: 'ack' });
    this.#waiting.free(inFlight);
  }

  async #tryAgain(inFlight: InFlight, verdict: Again): Promise<void> {
    const { delivery } = inFlight;
    const free = () => this.#waiting.free(inFlight);
    this.#failures.failed();
    this.#counts.triedAgain();
    if (this.#state === 'stopped') {
      await inFlight.settle({ kind: 'requeue' });
      return free();
    }
    const { retries, window } = this.#driver;
    if (retries?.pause === 'peer' && (await inFlight.postpone(verdict))) return free();
    const keepsSlot = !this.#rest.isOn && this.#paused.size < window >> 1;
    if (!delivery.returnable || keepsSlot) return this.#endings.add(this.#holdBack(inFlight, verdict, free));
    // With a window of one, order matters more than that others pass.
    await this.#giveBack(inFlight, verdict, window > 1);
    free();
    if (this.#failures.isLong) this.#beginRest(verdict.after);
  }

  /** Keeps a failed message in its slot through its pause, or until all pause; then it is delivered or handled again. */
  async #holdBack(inFlight: InFlight, retry: Again, free: () => void): Promise<void> {
    if (!inFlight.delivery.returnable) this.#failures.keptSlot(this.#held.size);
    this.#paused.add(inFlight);
    await this.#options.services.clock.sleep(retry.after, inFlight.waitSignal).catch(() => undefined);
    this.#paused.delete(inFlight);
    free();
    if (inFlight.delivery.returnable) await this.#giveBack(inFlight, { ...retry, after: 0 }, this.#rest.isOn);
    else this.#waitFirst(inFlight);
    this.#begin();
  }

  /** It is the next of its order that is handled. */
  #waitFirst(inFlight: InFlight): void {
    if (!inFlight.open) return;
    this.#waiting.addFirst(inFlight);
  }

  /**
   * Gives a failed message back to its place, or behind the others. Where tries are bounded it always goes behind: that
   * counts them in the message itself, so that every process knows them.
   */
  async #giveBack(inFlight: InFlight, retry: Again, behind: boolean): Promise<void> {
    const goesBehind = behind || this.#driver.retries?.most !== undefined || retry.tries % triesInARow === 0;
    if (this.#state === 'stopped' || !goesBehind || !(await inFlight.postpone(retry)))
      await inFlight.settle({ kind: 'requeue' });
  }

  /** Takes nothing for a while: so many messages failed in a row that the next ones would fail as well. */
  #beginRest(milliseconds: number): void {
    if (this.#rest.isOn || this.#state !== 'started') return;
    this.#failures.rests(milliseconds);
    this.#rest.begin(milliseconds, () => this.#rearrangeOrRenew());
    for (const inFlight of this.#paused) if (inFlight.delivery.returnable) inFlight.endWaits('deliveries pause');
    this.#rearrangeOrRenew();
  }
}
