import type { Clock } from '../observe/clock.ts';
import type { Log } from '../observe/log.ts';
import type { CrewFollower } from './debug-relay.ts';
import {
  type Answers,
  Conversation,
  type Envelope,
  type PrimaryQuestions,
  type ProcessReport,
  type WorkerQuestions,
} from './messages.ts';

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
  readonly answers: Answers<PrimaryQuestions>;
  readonly follower?: CrewFollower | undefined;
}

type Addresses = Readonly<Record<string, string>>;

interface Member {
  readonly number: number;
  readonly process: WorkerProcess;
  readonly conversation: Conversation<WorkerQuestions, PrimaryQuestions>;
  readonly bornAt: number;
  ready: boolean;
  /** Where it listens once it is ready; undefined when it could not start. */
  readonly begun: Promise<Addresses | undefined>;
}

/** Milliseconds: a report, a reload; waits before a dead worker is replaced, doubled each time it dies young. */
const reportLimit = 1_000;
const reloadLimit = 120_000;
const shortestWait = 100;
const longestWait = 30_000;
const youngBelow = 30_000;

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
  #stopping = false;
  #diedYoung = 0;
  #unclean = false;
  #reloadFailures = 0;

  constructor(size: number, options: CrewOptions) {
    this.size = size;
    this.#options = options;
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
    const others = Array.from({ length: this.size - 1 }, () => this.#add());
    await Promise.all(others.map(({ begun }) => begun));
    this.#started = true;
    return addresses;
  }

  /** What the workers that answer in time are like. */
  async reports(): Promise<ProcessReport[]> {
    const asked = [...this.#members].filter(({ ready }) => ready);
    const answers = await Promise.allSettled(asked.map(({ conversation }) => conversation.ask('report', reportLimit)));
    const reports = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []));
    const failures = this.#reloadFailures;
    if (failures > 0)
      reports.push({
        health: { notReady: 'primary', components: {} },
        metrics: [['svc_reload_failures_total', [['', [failures]]]]],
        underWay: 0,
      });
    return reports;
  }

  /** A configuration was refused before any worker saw it. */
  countReloadFailure(): void {
    this.#reloadFailures++;
  }

  /** Lets one worker after the other load the configuration. False, and the rest keep the old one, when one cannot. */
  async roll(): Promise<boolean> {
    for (const member of [...this.#members]) {
      if (!member.ready) continue;
      const ok = await member.conversation.ask('reload', reloadLimit).catch((error: unknown) => {
        this.#options.log.error('a worker did not reload', { pid: member.process.process.pid, error });
        return !this.#members.has(member);
      });
      if (!ok) return false;
    }
    return true;
  }

  /** Stops every worker in order; those that are not gone after `limit` milliseconds are killed. */
  async stop(limit: number): Promise<void> {
    this.#stopping = true;
    this.#quit.abort();
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
    const { fork, answers, clock, follower } = this.#options;
    const number = ++this.#lastNumber;
    const process = fork(number);
    const send = (message: Envelope) => void (process.isConnected() && process.send(message));
    const conversation = new Conversation<WorkerQuestions, PrimaryQuestions>({ send }, answers);
    let begin: (addresses: Addresses | undefined) => void = () => undefined;
    const begun = new Promise<Addresses | undefined>((resolve) => {
      begin = resolve;
    });
    const member: Member = { number, process, conversation, bornAt: clock.elapsed(), ready: false, begun };
    this.#members.add(member);
    process.on('message', (message) => {
      if ('debug' in message) return follower?.said(number, message);
      if (conversation.take(message) || !('notice' in message)) return;
      member.ready = message.notice === 'ready';
      if (member.ready) follower?.joined(number, send);
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

  #exited(member: Member, code: number | null, signal: string | null): void {
    this.#members.delete(member);
    member.conversation.end();
    this.#options.follower?.left(member.number);
    if (this.#stopping) {
      if (code !== 0) this.#unclean = true;
      if (this.#members.size === 0) this.#end();
      return;
    }
    if (!this.#started) {
      if (this.#members.size === 0) this.#end();
      return;
    }
    const { log, clock } = this.#options;
    this.#diedYoung = clock.elapsed() - member.bornAt < youngBelow ? this.#diedYoung + 1 : 0;
    const wait = Math.min(longestWait, shortestWait * 2 ** Math.max(0, this.#diedYoung - 1));
    log.error('a worker died and is replaced', { pid: member.process.process.pid, code, signal, after: `${wait}ms` });
    clock.sleep(wait, this.#quit.signal).then(
      () => void this.#add(),
      () => undefined,
    );
  }
}
