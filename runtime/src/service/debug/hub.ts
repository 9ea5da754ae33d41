import { type EventName, type EventParams, encodeNotification, events } from '@svc/protocol/wire';
import type { Frame } from '../../engine/flow/message/frame.ts';
import { Restart } from '../../engine/flow/message/restart.ts';
import { factsOf, isGate } from '../../engine/flow/pipeline/stages.ts';
import { type Drop, decidedBy } from '../../foundation/contracts/outcome.ts';
import type { FlowProbe, WatchedRule, WatchedStage } from '../../foundation/contracts/probe.ts';
import { asFailure } from '../../foundation/errors/classify.ts';
import type { Clock } from '../../foundation/observe/clock.ts';
import type { Log } from '../../foundation/observe/log.ts';
import { mask } from '../../foundation/observe/mask.ts';
import { shownValues } from '../../platform/telemetry/drop-fields.ts';
import { FlowTexts } from './event-text.ts';
import { shownRule } from './inspect.ts';
import { type EventSink, Session } from './session.ts';
import type { Breakpoints } from './threads/breakpoints.ts';
import { type Mode, type Reason, reportedReason, run, stepReason } from './threads/stepping.ts';
import { type Stop, Thread } from './threads/thread.ts';
import { goBack, type Visit } from './threads/visits.ts';
import { RunSecrecy, secrecyOfRun } from './values/run-secrecy.ts';
import { ClientScope } from './values/scope.ts';
import { eventLimits, type Secrecy } from './values/snapshot.ts';
import { comingIn, comingOut, scopeBefore } from './values/stage-data.ts';

/** Threads that may be paused at once; further ones run on of one process. */
const mostPaused = 1_000;

export interface HubOptions {
  readonly breakpoints: Breakpoints;
  readonly secrecy: Secrecy;
  readonly clock: Clock;
  readonly log: Log;
  /** Milliseconds after which a pause ends by itself. */
  readonly maxPause: number;
  /** Number of this process among several; its threads carry it. */
  readonly worker?: number | undefined;
  /** Called when the first client attaches and when the last one leaves. */
  readonly attachedChanged: (attached: boolean) => void;
}

interface StopRequest {
  readonly reason: Reason;
  readonly message: string;
  readonly holders: Set<Session>;
}

/** Knows who is attached, which requests are in flight and where they are held. It does not depend on messages of the protocol or on sockets. */
export class Hub implements FlowProbe {
  readonly breakpoints: Breakpoints;
  readonly secrecy: Secrecy;
  readonly threads = new Map<string, Thread>();
  readonly sessions = new Set<Session>();
  readonly #options: HubOptions;
  /** Thread ids of one process never equal those of another. */
  readonly #prefix: string;
  #lastThread = 0;
  #lastSession = 0;
  #paused = 0;
  /** What events of a flow look like, by its name. */
  readonly #texts = new Map<string, FlowTexts>();

  constructor(options: HubOptions) {
    this.#options = options;
    const process = Math.floor(Math.random() * 2 ** 40).toString(16);
    this.#prefix = `${options.worker === undefined ? '' : `${options.worker}.`}t${process.padStart(10, '0')}`;
    this.breakpoints = options.breakpoints;
    this.secrecy = options.secrecy;
  }

  get attached(): boolean {
    return this.sessions.size > 0;
  }

  attach(understands: ReadonlySet<string>, sink: EventSink): Session {
    const session = new Session(`s${++this.#lastSession}`, understands, sink);
    this.sessions.add(session);
    if (this.sessions.size === 1) this.#options.attachedChanged(true);
    return session;
  }

  /** Ends a session: its breakpoints are gone, and threads that it alone holds run on. May be called again. */
  detach(session: Session): void {
    if (!this.sessions.delete(session)) return;
    this.breakpoints.forget(session);
    for (const thread of this.threads.values()) {
      if (thread.stepper === session) {
        thread.mode = run;
        thread.stepper = undefined;
      }
      const { stop } = thread;
      if (stop?.holders.delete(session) && stop.holders.size === 0) this.resume(thread, run, undefined);
    }
    if (this.sessions.size > 0) return;
    for (const thread of this.threads.values()) thread.isLeft = true;
    this.threads.clear();
    this.#texts.clear();
    this.#options.attachedChanged(false);
  }

  /** Lets a paused thread run; false when it is not paused. Clients are notified after the caller has continued. */
  resume(thread: Thread, mode: Mode, stepper: Session | undefined, back?: Restart): boolean {
    const { stop } = thread;
    if (stop === undefined) return false;
    thread.stop = undefined;
    thread.shown = undefined;
    thread.mode = mode;
    thread.stepper = stepper;
    thread.paused += this.#options.clock.since(stop.since);
    this.#paused--;
    queueMicrotask(() => {
      this.emit('event.continued', () => ({ threadId: thread.id }));
      stop.release(back);
    });
    return true;
  }

  /** Lets a paused thread go back to a stage that `Visits.wayBack` gave, and stops it there. */
  restart(thread: Thread, visit: Visit, session: Session): void {
    goBack(thread.frame, visit);
    thread.failedWith = undefined;
    thread.droppedBy = undefined;
    this.resume(thread, { kind: 'restart', place: visit.place }, session, new Restart(visit.place));
  }

  /** Stops a running thread at its next stage or rule; false when it is paused already. */
  pause(thread: Thread, session: Session): boolean {
    if (thread.stop !== undefined) return false;
    thread.mode = { kind: 'pause' };
    thread.stepper = session;
    return true;
  }

  begin(flow: string, frame: object): Thread | undefined {
    if (!this.attached) return undefined;
    const { clock } = this.#options;
    const id = `${this.#prefix}${(++this.#lastThread).toString(16).padStart(6, '0')}`;
    const secrecy = secrecyOfRun(frame, this.threads.values(), () => new RunSecrecy(this.secrecy));
    const thread = new Thread(id, flow, frame as Frame, this.#textsOf(flow), secrecy, clock);
    this.threads.set(id, thread);
    this.#tell('event.flowStart', () => thread.texts.start(id, this.#shown(thread, thread.frame.input)));
    return thread;
  }

  enter(given: unknown, place: WatchedStage, rule: WatchedRule | undefined, scope: object): void | Promise<void> {
    const thread = given as Thread | undefined;
    if (thread === undefined || thread.isLeft) return;
    if (thread.stop === undefined) {
      thread.place = place;
      thread.rule = rule;
    }
    if (rule === undefined) {
      thread.begin(place);
      this.#tell('event.stageEnter', () =>
        thread.texts.at(place).enter(thread.id, this.#shown(thread, comingIn(place, thread.frame))),
      );
      if (!factsOf(place.stage).looks) thread.shown = undefined;
    }
    return this.#consider(thread, place, rule, scope);
  }

  leave(
    given: unknown,
    place: WatchedStage,
    rule: WatchedRule | undefined,
    scope: object,
    error: unknown,
    result: unknown,
  ): void | Promise<void> {
    const thread = given as Thread | undefined;
    if (thread === undefined || thread.isLeft) return;
    if (rule === undefined) {
      const times = thread.finish(place);
      const made = error === undefined ? comingOut(place, thread.frame, result) : undefined;
      if (!factsOf(place.stage).looks) thread.secrecy.learnMembers(made);
      this.#tell('event.stageExit', () => {
        const output = error === undefined ? this.#shown(thread, made) : 'null';
        return thread.texts.at(place).exit(thread.id, output, times, thread.secrecy.clean(messageOf(error)));
      });
    } else {
      const { secrecy } = thread;
      const isHidden = secrecy.hidesResult(rule, place, scope, error, result);
      const shown = () => (isHidden ? hidden : secrecy.write(result, eventLimits));
      this.#tell('event.ruleEval', () =>
        thread.texts
          .at(place)
          .rule(thread.id, rule, error === undefined ? shown : undefined, secrecy.clean(messageOf(error))),
      );
    }
    if (error !== undefined && !(error instanceof Restart))
      return this.#considerFailure(thread, place, rule, scope, error);
    // What other stages give is data, which may look like a drop.
    if (rule === undefined && isGate(place.stage) && isDrop(result))
      return this.#considerDrop(thread, place, scope, result);
  }

  end(given: unknown, error: unknown, output: unknown, drop?: Drop): void {
    const thread = given as Thread | undefined;
    if (thread === undefined || thread.isLeft) return;
    this.threads.delete(thread.id);
    const times = thread.total();
    this.#tell('event.flowEnd', () =>
      thread.texts.end(
        thread.id,
        this.#shown(thread, output),
        times,
        thread.secrecy.clean(messageOf(error)),
        this.#dropped(thread, drop),
      ),
    );
  }

  /** Nothing when the thread runs on. Of parallel places, one at a time is examined. */
  #consider(thread: Thread, place: WatchedStage, rule: WatchedRule | undefined, given: object): void | Promise<void> {
    if (thread.stop !== undefined)
      return thread.stop.over.then(() => (thread.isLeft ? undefined : this.#consider(thread, place, rule, given)));
    thread.place = place;
    thread.rule = rule;
    const scope = rule === undefined ? scopeBefore(place, given) : given;
    const hit = this.breakpoints.match(
      thread.flow,
      place,
      rule,
      () => new ClientScope(scope, thread.secrecy, rule?.variables),
      thread.secrecy,
    );
    for (const { session, text } of hit?.messages ?? [])
      this.#emitTo([session], 'event.log', () => ({
        ...at(thread, place),
        ruleIndex: rule?.index ?? -1,
        message: text,
      }));
    const stepped = stepReason(thread.mode, place, rule);
    if (hit === undefined && stepped === undefined) return;
    const holders = hit?.holders ?? new Set();
    const reason = holders.size > 0 && stepped !== 'restart' ? 'breakpoint' : stepped;
    if (reason === undefined) return;
    if (stepped !== undefined && thread.stepper !== undefined) holders.add(thread.stepper);
    return this.#stop(thread, place, rule, scope, {
      reason,
      message: hit?.problems.join('; ') ?? '',
      holders,
    });
  }

  #considerFailure(
    thread: Thread,
    place: WatchedStage,
    rule: WatchedRule | undefined,
    scope: object,
    error: unknown,
  ): void | Promise<void> {
    if (thread.failedWith === error) return;
    const { code, message } = asFailure(error);
    const holders = new Set([...this.sessions].filter((session) => session.stopsAt(code)));
    if (holders.size === 0) return;
    if (thread.stop !== undefined)
      return thread.stop.over.then(() =>
        thread.isLeft ? undefined : this.#considerFailure(thread, place, rule, scope, error),
      );
    thread.failedWith = error;
    return this.#stop(thread, place, rule, scope, {
      reason: 'failure',
      message: thread.secrecy.clean(`${code}: ${message}`),
      holders,
    });
  }

  #considerDrop(thread: Thread, place: WatchedStage, scope: object, drop: Drop): void | Promise<void> {
    const gate = decidedBy(drop);
    const holders = new Set([...this.sessions].filter((session) => session.stopsAtDrop(gate)));
    if (holders.size === 0 || thread.droppedBy === drop) return;
    if (thread.stop !== undefined)
      return thread.stop.over.then(() => (thread.isLeft ? undefined : this.#considerDrop(thread, place, scope, drop)));
    thread.droppedBy = drop;
    const { reason, expression, policy } = drop;
    const message = `${reason === gate ? '' : `${reason}: `}${expression} (${policy})`;
    return this.#stop(thread, place, undefined, scope, {
      reason: 'drop',
      message: thread.secrecy.clean(message),
      holders,
    });
  }

  #stop(
    thread: Thread,
    place: WatchedStage,
    rule: WatchedRule | undefined,
    scope: object,
    { reason, message, holders }: StopRequest,
  ): void | Promise<void> {
    const { clock, log, maxPause } = this.#options;
    if (this.#paused >= mostPaused) {
      log.warn('a thread was not paused: too many are', { flow: thread.flow, paused: this.#paused });
      return;
    }
    this.#paused++;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const ended = new AbortController();
    const letTimersRun = thread.frame.message.hold?.();
    const stop: Stop = {
      place,
      rule,
      scope,
      reason,
      message,
      holders,
      since: clock.reading(),
      release: (back) => {
        ended.abort();
        letTimersRun?.();
        if (back === undefined) resolve();
        else reject(back);
      },
      over: promise,
    };
    thread.stop = stop;
    thread.shown = undefined;
    thread.place = place;
    thread.rule = rule;
    thread.mode = run;
    thread.stepper = undefined;
    for (const session of this.sessions)
      this.#emitTo([session], 'event.stopped', () => ({
        ...at(thread, place),
        ...(rule === undefined ? {} : { rule: shownRule(rule, this.secrecy) }),
        reason: reportedReason(reason, session.understands),
        message,
      }));
    clock.sleep(maxPause, ended.signal).then(
      () => {
        if (thread.stop === stop) this.resume(thread, run, undefined);
      },
      () => undefined,
    );
    return promise;
  }

  /** A part of the frame as JSON: the text of before while nothing has run that could have changed it. */
  #shown(thread: Thread, value: unknown): string {
    const { secrecy } = thread;
    const { version } = secrecy;
    if (thread.shown === undefined || thread.shown.value !== value || thread.shown.version !== version)
      thread.shown = { value, version, text: secrecy.write(value, eventLimits) };
    return thread.shown.text;
  }

  /** Why the message was dropped, as JSON; empty when it was not. */
  #dropped({ secrecy }: Thread, drop: Drop | undefined): string {
    if (drop === undefined) return '';
    const { reason, expression, policy } = drop;
    const values = shownValues(
      drop,
      (name) => secrecy.hides(name),
      (value) => secrecy.show(value, eventLimits),
    );
    return JSON.stringify({ reason, decidedBy: decidedBy(drop), expression, policy, values: values ?? {} });
  }

  #textsOf(flow: string): FlowTexts {
    let texts = this.#texts.get(flow);
    if (texts === undefined) this.#texts.set(flow, (texts = new FlowTexts(flow, this.secrecy)));
    return texts;
  }

  emit<E extends EventName>(event: E, params: () => EventParams<E>): void {
    this.#emitTo(this.sessions, event, params);
  }

  #emitTo<E extends EventName>(sessions: Iterable<Session>, event: E, params: () => EventParams<E>): void {
    this.#tell(event, () => encodeNotification(event, params()), sessions);
  }

  /** The text is made once for all, and not at all when no client has room for it. */
  #tell(event: EventName, write: () => string, sessions: Iterable<Session> = this.sessions): void {
    const { lane, needs }: { readonly lane: 'kept' | 'trace'; readonly needs?: string } = events[event];
    let text: string | undefined;
    for (const session of sessions) {
      if (!session.wants(needs)) continue;
      if (lane === 'trace' && !session.sink.hasRoom) session.sink.skip();
      else session.sink.send((text ??= write()), lane);
    }
  }
}

const hidden = JSON.stringify(mask);

function at({ id, flow }: Thread, { stage, name }: WatchedStage) {
  return { threadId: id, flowName: flow, stage, name };
}

function isDrop(result: unknown): result is Drop {
  return (
    typeof result === 'object' && result !== null && (result as Partial<Drop>).kind === 'drop' && 'policy' in result
  );
}

function messageOf(error: unknown): string {
  if (error === undefined) return '';
  return error instanceof Error ? error.message : String(error);
}
