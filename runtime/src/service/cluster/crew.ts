import type { Clock } from '../../foundation/observe/clock.ts';
import type { Log } from '../../foundation/observe/log.ts';
import { metricSpecs } from '../../foundation/observe/metric-table.ts';
import { type MetricsSnapshot, mergeSnapshots } from '../../foundation/observe/registry.ts';
import type { ConfigurationSnapshot } from '../config/snapshot.ts';
import type { HealthReport } from '../running/health/health.ts';
import type { CrewFollower } from './debug-relay.ts';
import {
  type Answers,
  Conversation,
  type Envelope,
  type PrimaryQuestions,
  type ProcessReport,
  type WorkerQuestions,
} from './messages.ts';
import { type PlacedConnector, Placements } from './placements.ts';
import { ReplacementPauses } from './replacement-pauses.ts';

/** A worker process, as node:cluster gives it. */
export interface WorkerProcess {
  send(message: Envelope): unknown;
  on(event: 'message', listener: (message: Envelope) => void): unknown;
  on(event: 'error', listener: (error: Error) => void): unknown;
  on(event: 'exit', listener: (code: number | null, signal: string | null) => void): unknown;
  readonly process: { readonly pid?: number | undefined; kill(signal?: NodeJS.Signals): unknown };
  isConnected(): boolean;
}

export interface CrewOptions {
  /** Starts the process of a worker; no other one gets its number. */
  readonly fork: (worker: number) => WorkerProcess;
  readonly clock: Clock;
  readonly log: Log;
  /** For lines that operators see at any level of the log. */
  readonly life: Log;
  readonly answers: Omit<Answers<PrimaryQuestions>, 'configuration'>;
  /** Called when a worker takes requests. */
  readonly joined?: (() => void) | undefined;
  readonly follower?: CrewFollower | undefined;
}

type Addresses = Readonly<Record<string, string>>;

interface Member {
  readonly number: number;
  readonly process: WorkerProcess;
  readonly conversation: Conversation<WorkerQuestions, PrimaryQuestions>;
  /** Monotonic milliseconds at which it took requests for the first time. */
  readyAt: number | undefined;
  /** Monotonic milliseconds of its last sign of life. */
  seenAt: number;
  ready: boolean;
  /** The configuration that it runs, or was given to start with. */
  configuration: ConfigurationSnapshot | undefined;
  /** Heartbeats that passed without an answer. */
  silent: number;
  /** Its last report. */
  report: ProcessReport | undefined;
  /** Where it listens once it is ready; undefined when it could not start. */
  readonly begun: Promise<Addresses | undefined>;
}

/** Milliseconds: a report, a reload. */
const reportLimit = 1_000;
const reloadLimit = 120_000;
/** Milliseconds between two heartbeats of a worker. */
const beat = 1_000;
/** Heartbeats without an answer after which a worker gets no new connections, and after which it is killed: within ten seconds. */
const silentAfter = 2;
const frozenAfter = 8;

/** The metrics that remain valid when their process is gone. */
const lastingSpecs = metricSpecs.filter(({ kind }) => kind === 'counter' || kind === 'histogram');

/** What health calls the workers; the bare name of a component is that of a connector. */
const crewComponent = 'workers of the service';

const noWorker = { notReady: 'no worker is running', components: {} } as const;
const noAnswer = { notReady: 'a worker does not answer', components: {} } as const;

/** The workers of a service: started together, replaced when they die, stopped once. */
export class Crew {
  readonly size: number;
  readonly #options: CrewOptions;
  readonly #members = new Set<Member>();
  readonly #quit = new AbortController();
  /** Resolves when no worker is left and none will be started. */
  readonly over: Promise<void>;
  #end: () => void = () => undefined;
  #lastNumber = 0;
  #started = false;
  /** One worker has taken requests: another that cannot start does not end the service. */
  #hasServed = false;
  #stopping = false;
  readonly #pauses = new ReplacementPauses();
  #unclean = false;
  #reloadFailures = 0;
  /** The last configuration that could be used; a worker that replaces another starts with it. */
  #configuration: ConfigurationSnapshot | undefined;
  readonly #placements: Placements;
  /** The connectors of that configuration that run in one worker. */
  #placed: readonly PlacedConnector[] = [];
  /** Counters of dead workers. */
  #departed: MetricsSnapshot = [];

  constructor(size: number, options: CrewOptions) {
    this.size = size;
    this.#options = options;
    const { clock, log, life, follower } = options;
    this.#placements = new Placements({
      clock,
      log,
      life,
      placed: (connector, worker) => follower?.placed(connector, worker),
    });
    this.over = new Promise((resolve) => {
      this.#end = resolve;
    });
  }

  get started(): boolean {
    return this.#started;
  }

  get stopping(): boolean {
    return this.#stopping;
  }

  /** Whether a worker takes requests and answers. */
  isWell(worker: number | undefined): boolean {
    return [...this.#members].some(({ number, ready, silent }) => number === worker && ready && silent < silentAfter);
  }

  /** Sets what workers start with, and what one of them runs for all; called before the first is started. */
  adopt(configuration: ConfigurationSnapshot, placed: readonly PlacedConnector[]): void {
    this.#configuration = configuration;
    this.#placed = placed;
  }

  /** Whether every worker stopped in order. */
  get stoppedCleanly(): boolean {
    return !this.#unclean;
  }

  /**
   * Starts one worker and, when it serves, the others. Resolves with where they listen, or with undefined when the first
   * cannot start: what keeps it from starting would keep the others too.
   */
  async start(): Promise<Addresses | undefined> {
    const addresses = await this.#add().begun;
    if (addresses === undefined || this.#stopping) {
      if (!this.#stopping) this.#unclean = true;
      return undefined;
    }
    this.#hasServed = true;
    const others = Array.from({ length: this.size - 1 }, () => this.#add());
    await Promise.all(others.map(({ begun }) => begun));
    await this.#placements.use(this.#placed);
    const { problems } = this.#placements;
    if (problems.size > 0 && !this.#stopping) {
      this.#options.log.error('connectors could not be opened', Object.fromEntries(problems));
      this.#unclean = true;
      return undefined;
    }
    this.#started = true;
    return addresses;
  }

  /** What the workers are like. Of those that do not answer in time, and of dead ones, the last known counts are reported. */
  async reports(): Promise<ProcessReport[]> {
    const asked = [...this.#members].filter(({ ready }) => ready);
    const answers = await Promise.allSettled(asked.map(({ conversation }) => conversation.ask('report', reportLimit)));
    const reports = answers.map((answer, at) => {
      const member = asked[at] as Member;
      if (answer.status === 'fulfilled') return (member.report = answer.value);
      return { health: noAnswer, metrics: member.report?.metrics ?? [], underWay: 0 };
    });
    reports.push({ health: noWorker, metrics: this.#departed, underWay: 0 });
    const { health: components, metrics } = this.#placements;
    reports.push({
      health: { notReady: 'primary', components: { ...components, ...this.#missing } },
      metrics,
      underWay: 0,
    });
    const failures = this.#reloadFailures;
    if (failures > 0)
      reports.push({
        health: { notReady: 'primary', components: {} },
        metrics: [['svc_reload_failures_total', [['', [failures]]]]],
        underWay: 0,
      });
    return reports;
  }

  /** The health of the whole while workers are missing, dead ones and hung ones. */
  get #missing(): HealthReport['components'] {
    if (!this.#hasServed || this.#stopping) return {};
    const well = [...this.#members].filter(({ number }) => this.isWell(number)).length;
    const message = `${well} of ${this.size} workers take requests`;
    return well < this.size ? { [crewComponent]: { status: 'degraded', latency_ms: 0, message } } : {};
  }

  /** A configuration was refused before any worker saw it. */
  countReloadFailure(): void {
    this.#reloadFailures++;
  }

  /**
   * Lets one worker after the other use the configuration. False, and all use the old one again, when one cannot. Workers
   * that start meanwhile follow.
   */
  async roll(configuration: ConfigurationSnapshot, placed: readonly PlacedConnector[]): Promise<boolean> {
    // What is new is placed first: the worker that has it opens it with the configuration, which fails where it cannot.
    const added = placed.filter(({ name }) => this.#placed.every((one) => one.name !== name));
    if (added.length > 0) await this.#placements.use([...this.#placed, ...added]);
    const isUsed = await this.#rollOut(configuration);
    if (isUsed) this.#placed = placed;
    await this.#placements.use(this.#placed);
    return isUsed;
  }

  async #rollOut(configuration: ConfigurationSnapshot): Promise<boolean> {
    const before = this.#configuration;
    for (let member = this.#nextBut(configuration); member !== undefined; member = this.#nextBut(configuration)) {
      if (await this.#use(member, configuration)) {
        this.#configuration = configuration;
        continue;
      }
      if (!this.#members.has(member)) continue;
      this.#configuration = before;
      if (before === undefined) return false;
      for (const changed of [...this.#members])
        if (changed.ready && changed.configuration === configuration) await this.#use(changed, before);
      return false;
    }
    this.#configuration = configuration;
    return true;
  }

  /** A worker that takes requests and does not use this configuration. */
  #nextBut(configuration: ConfigurationSnapshot): Member | undefined {
    return [...this.#members].find((member) => member.ready && member.configuration !== configuration);
  }

  async #use(member: Member, configuration: ConfigurationSnapshot): Promise<boolean> {
    try {
      const isUsed = await member.conversation.ask('reload', reloadLimit, configuration);
      if (isUsed) member.configuration = configuration;
      return isUsed;
    } catch (error) {
      this.#options.log.error('a worker did not reload', { pid: member.process.process.pid, error });
      return false;
    }
  }

  /** Stops every worker in order; those that are not gone after `limit` milliseconds are killed. */
  async stop(limit: number): Promise<void> {
    this.#stopping = true;
    this.#quit.abort();
    this.#placements.stop();
    for (const { conversation } of this.#members) void conversation.ask('stop', limit).catch(() => undefined);
    if (this.#members.size === 0) this.#end();
    const over = new AbortController();
    const late = this.#options.clock.sleep(limit, over.signal).then(
      () => {
        this.#unclean = true;
        this.kill();
      },
      () => undefined,
    );
    await Promise.race([this.over, late]);
    over.abort();
    await this.over;
  }

  kill(): void {
    this.#stopping = true;
    for (const { process } of this.#members) process.process.kill('SIGKILL');
  }

  #add(): Member {
    const { fork, answers, clock, follower, joined } = this.#options;
    const number = ++this.#lastNumber;
    const process = fork(number);
    const send = (message: Envelope) => void (process.isConnected() && process.send(message));
    const configuration = () => {
      // What was sent before its program took messages is lost.
      if (this.#stopping) void conversation.ask('stop', reloadLimit).catch(() => undefined);
      return (member.configuration = this.#configuration as ConfigurationSnapshot);
    };
    const conversation = new Conversation<WorkerQuestions, PrimaryQuestions>({ send }, { ...answers, configuration });
    let begin: (addresses: Addresses | undefined) => void = () => undefined;
    const begun = new Promise<Addresses | undefined>((resolve) => {
      begin = resolve;
    });
    const member: Member = {
      number,
      process,
      conversation,
      readyAt: undefined,
      seenAt: clock.elapsed(),
      ready: false,
      configuration: this.#configuration,
      silent: 0,
      report: undefined,
      begun,
    };
    this.#members.add(member);
    process.on('message', (message) => {
      if ('debug' in message) return follower?.said(number, message);
      if (conversation.take(message) || !('notice' in message)) return;
      member.ready = message.notice === 'ready';
      if (member.ready) {
        member.readyAt = clock.elapsed();
        follower?.joined(number, send);
        joined?.();
        this.#place(member);
        void this.#watch(member);
      }
      begin(message.notice === 'ready' ? message.addresses : undefined);
    });
    // A channel that closes while it is written to; what counts is the exit that follows.
    process.on('error', () => undefined);
    process.on('exit', (code, signal) => {
      begin(undefined);
      this.#exited(member, code, signal);
    });
    return member;
  }

  #place({ number, process, conversation }: Member): void {
    this.#placements.add({
      number,
      pid: process.process.pid,
      isWell: () => this.isWell(number),
      place: (connectors) => conversation.ask('place', reloadLimit, connectors),
    });
    if (this.#started) void this.#placements.arrange();
  }

  /** Sends heartbeats to a worker until it is gone, and kills it when it hangs: it would never take what it is given. */
  async #watch(member: Member): Promise<void> {
    const { clock, log } = this.#options;
    let isAsked = false;
    for (;;) {
      try {
        await clock.sleep(beat, this.#quit.signal);
      } catch {
        return;
      }
      if (!this.#members.has(member)) return;
      member.silent = isAsked ? member.silent + 1 : 0;
      if (member.silent >= frozenAfter) {
        log.error('a worker does not answer and is killed', {
          pid: member.process.process.pid,
          after: `${member.silent}s`,
        });
        return void member.process.process.kill('SIGKILL');
      }
      if (isAsked) continue;
      isAsked = true;
      const answered = () => {
        isAsked = false;
      };
      member.conversation.ask('report', 2 * beat * frozenAfter).then((report) => {
        member.report = report;
        member.seenAt = clock.elapsed();
        answered();
      }, answered);
    }
  }

  #exited(member: Member, code: number | null, signal: string | null): void {
    this.#members.delete(member);
    const { silent, seenAt } = member;
    this.#placements.remove(member.number, silent > 0 ? seenAt : this.#options.clock.elapsed());
    this.#departed = mergeSnapshots(lastingSpecs, [this.#departed, member.report?.metrics ?? []]);
    member.conversation.end();
    this.#options.follower?.left(member.number);
    if (this.#stopping && code !== 0) this.#unclean = true;
    if (this.#stopping || !this.#hasServed) {
      if (this.#members.size === 0) this.#end();
      return;
    }
    if (this.#started) void this.#placements.arrange();
    const { log, clock } = this.#options;
    const { readyAt, process } = member;
    const wait = this.#pauses.next(readyAt === undefined ? undefined : clock.elapsed() - readyAt);
    const what =
      readyAt === undefined ? 'a worker could not start and is tried again' : 'a worker died and is replaced';
    log.error(what, { pid: process.process.pid, code, signal, after: `${wait}ms` });
    clock.sleep(wait, this.#quit.signal).then(
      () => void this.#add(),
      () => undefined,
    );
  }
}
