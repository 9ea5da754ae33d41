import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { threadProgram } from '../../../platform/threads/program.ts';
import type { DatabaseFile } from './file.ts';
import type { ReaderAnswer, ReaderTask } from './reader-messages.ts';

type Row = Record<string, unknown>;

const program = threadProgram(import.meta.url, 'sqlite-reader');

/** Memory of one reader beside that of SQLite; the rows of one piece are in it. */
const megabytes = 256;

/** What a task of a reader came to. */
export type ReaderOutcome =
  | { readonly rows: Row[] }
  /** What SQLite refused the statement with, as node:sqlite throws it. */
  | { readonly error: Error & { readonly errcode: number } }
  | { readonly problem: 'replaced' | 'too large' }
  /** The process ended; `begun`: it had answered a part. */
  | { readonly ended: string; readonly begun: boolean };

/** One process that reads a database, one statement at a time. */
export class Reader {
  private readonly child: ChildProcess;
  private settle: ((outcome: ReaderOutcome) => void) | undefined;
  private rows: Row[] = [];
  private isEnded = false;

  /** `ended` is called once when the process has ended, for whatever reason. */
  constructor({ path, identity }: DatabaseFile, ended: (reader: Reader) => void) {
    const { NODE_OPTIONS: _, ...env } = process.env;
    this.child = fork(fileURLToPath(program), [path, identity], {
      env,
      execArgv: [`--max-old-space-size=${megabytes}`],
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    const end = (reason: string) => {
      if (this.isEnded) return;
      this.isEnded = true;
      ended(this);
      this.finish({ ended: reason, begun: this.rows.length > 0 });
    };
    this.child.on('message', (answer: ReaderAnswer) => this.take(answer));
    this.child.on('exit', (code, signal) => end(signal ?? `exit code ${code}`));
    this.child.on('error', (error) => {
      end(error.message);
      this.end();
    });
  }

  /** Runs one statement; the reader must not be at work. */
  run(task: ReaderTask): Promise<ReaderOutcome> {
    return new Promise((resolve) => {
      this.settle = resolve;
      this.child.ref();
      this.child.channel?.ref();
      this.send(task);
    });
  }

  /** Ends the process at once, and with it the statement that it runs: reading leaves nothing half done. */
  end(): void {
    this.child.kill('SIGKILL');
  }

  private send(message: ReaderTask | 'next'): void {
    // A process that cannot be reached ends, and is noticed by that; one that could not be started has no channel.
    try {
      this.child.send(message, (error) => {
        if (error !== null) this.end();
      });
    } catch {
      this.end();
    }
  }

  private take(answer: ReaderAnswer): void {
    if ('problem' in answer) return this.finish(answer);
    if ('message' in answer) {
      return this.finish({ error: Object.assign(new Error(answer.message), { errcode: answer.errcode }) });
    }
    for (const row of answer.rows) this.rows.push(row);
    if (answer.last) this.finish({ rows: this.rows });
    // Other work on the event loop runs before the next piece is taken over.
    else setImmediate(() => this.send('next'));
  }

  private finish(outcome: ReaderOutcome): void {
    const { settle } = this;
    this.settle = undefined;
    this.rows = [];
    // One that is idle does not keep the service running.
    this.child.unref();
    this.child.channel?.unref();
    settle?.(outcome);
  }
}
