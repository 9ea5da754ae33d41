import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import type { Failure } from '../../foundation/errors/failure.ts';
import type { Exit } from './exit.ts';
import { startFailure } from './failure.ts';
import { orphans } from './orphans.ts';

/** What is started. */
export interface Launch {
  readonly file: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** Whether it has two more pipes, which it knows as the descriptors 3 and 4. */
  readonly hasChannel?: boolean;
}

/** Pipes beside those of input and output. */
export interface Channel {
  /** What it reads from descriptor 3. */
  readonly to: Writable;
  /** What it writes to descriptor 4. */
  readonly from: Readable;
}

export interface ProgramOptions {
  /** Ends the program when it fires, with the Failure that says why. */
  readonly stop: AbortSignal;
  /** Milliseconds between SIGTERM and SIGKILL. */
  readonly killAfter: number;
  /** Last bytes of standard error that are kept. */
  readonly maxStderr: number;
}

/** Milliseconds of silence after which pipes that a process in the background keeps open are closed. */
const quietTime = 500;

const isWindows = process.platform === 'win32';

/**
 * A program in a process group of its own, so that it is ended with every process that it started. When it has ended,
 * whatever is left of the group is killed: nothing outlives a call.
 */
export class Program {
  /** How it ended, once everything that it wrote was read or given up. Rejects when it could not be started. */
  readonly exit: Promise<Exit>;
  /** Resolves when nothing of it is left; never rejects. */
  readonly gone: Promise<void>;
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #options: ProgramOptions;
  #stderr: Buffer = Buffer.alloc(0);
  #failure: Failure | undefined;
  #killing: NodeJS.Timeout | undefined;
  #quiet: NodeJS.Timeout | undefined;
  /** Called when there is more of its output, or no more of it. */
  #wake: () => void = () => undefined;
  #isGone = false;

  /** Throws a Failure when the program cannot be started. */
  constructor({ file, args, env, cwd, hasChannel = false }: Launch, options: ProgramOptions) {
    this.#options = options;
    options.stop.throwIfAborted();
    try {
      if (!isWindows) orphans.prepare();
      const stdio = Array.from({ length: hasChannel ? 5 : 3 }, () => 'pipe' as const);
      const options = { cwd, env, detached: !isWindows, windowsHide: true, stdio };
      this.#child = spawn(file, args, options) as ChildProcessWithoutNullStreams;
    } catch (error) {
      throw startFailure(file, error);
    }
    const { promise, resolve, reject } = Promise.withResolvers<Exit>();
    promise.catch(() => undefined);
    this.exit = promise;
    this.gone = promise.then(
      () => undefined,
      () => undefined,
    );
    const child = this.#child;
    const abort = () => this.end(options.stop.reason as Failure);
    options.stop.addEventListener('abort', abort, { once: true });
    const forget = isWindows || child.pid === undefined ? undefined : orphans.watch(child.pid);
    const settle = () => {
      this.#isGone = true;
      options.stop.removeEventListener('abort', abort);
      clearTimeout(this.#killing);
      clearTimeout(this.#quiet);
    };
    child.on('error', (error) => {
      if (child.pid !== undefined) return;
      settle();
      reject(startFailure(file, error));
    });
    child.on('exit', () => this.#awaitPipes());
    child.on('close', (status, signal) => {
      settle();
      // What it left in the background.
      if (child.pid !== undefined) this.#kill('SIGKILL');
      forget?.();
      resolve({ status: status ?? undefined, signal: signal ?? undefined });
    });
    // A program need not read what it is given.
    child.stdin.on('error', () => undefined);
    for (const event of ['readable', 'end', 'close', 'error']) child.stdout.on(event, () => this.#wake());
    child.stderr.on('error', () => undefined);
    child.stderr.on('data', (piece: Buffer) => {
      this.#stderr = Buffer.concat([this.#stderr, piece]).subarray(-options.maxStderr || Number.POSITIVE_INFINITY);
    });
  }

  get stdin(): Writable {
    return this.#child.stdin;
  }

  /** Undefined of a program that was started without one. */
  get channel(): Channel | undefined {
    const [, , , to, from] = this.#child.stdio as readonly unknown[];
    return to === undefined ? undefined : { to: to as Writable, from: from as Readable };
  }

  /** The end of what it wrote on standard error, without characters that control a terminal. */
  get stderr(): string {
    return this.#stderr
      .toString('utf8')
      .replace(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/g, '')
      .trim();
  }

  /** Its standard output, read no faster than it is taken. Throws the Failure with which the program was ended. */
  async *output(): AsyncGenerator<Buffer, void, undefined> {
    const { stdout } = this.#child;
    for (;;) {
      const piece = this.#failure === undefined ? (stdout.read() as Buffer | null) : null;
      if (piece !== null) {
        this.#quiet?.refresh();
        yield piece;
      } else if (this.#failure !== undefined) throw this.#failure;
      else if (stdout.readableEnded || stdout.destroyed) return;
      else await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }

  /**
   * Ends it with every process of its group: SIGTERM, then SIGKILL, or that `atOnce`, as when its connector is closed. It does
   * not see an end of its input, which it could take for all of it.
   */
  end(failure: Failure, atOnce = failure.code === 'connector_refused'): void {
    if (this.#failure !== undefined || this.#isGone) return;
    this.#failure = failure;
    this.#kill(atOnce ? 'SIGKILL' : 'SIGTERM');
    if (!atOnce) this.#killing = setTimeout(() => this.#kill('SIGKILL'), this.#options.killAfter);
    // It may still write while it ends: that is read, and forgotten.
    this.#child.stdout.removeAllListeners('readable').resume();
    this.#wake();
  }

  /** Waits for the end of what it wrote, which a process in the background may never come to. */
  #awaitPipes(): void {
    const look = () => {
      const { stdout } = this.#child;
      // Its reader has not taken everything yet.
      if (stdout.readableLength > 0) this.#awaitPipes();
      else {
        stdout.destroy();
        this.#child.stderr.destroy();
        this.channel?.from.destroy();
        this.channel?.to.destroy();
      }
    };
    this.#quiet = setTimeout(look, quietTime);
  }

  #kill(signal: 'SIGTERM' | 'SIGKILL'): void {
    const { pid } = this.#child;
    if (pid === undefined) return;
    if (isWindows) {
      spawn('taskkill', ['/pid', String(pid), '/T', '/F'], { stdio: 'ignore' }).on('error', () => undefined);
      return;
    }
    try {
      process.kill(-pid, signal);
    } catch {
      // Nothing of the group is left.
    }
  }
}
