import type { ExitStatus, Invocation } from '../command.ts';

/** What `svc plugin` does for one word. */
export interface Action {
  /** What is named after the word. */
  readonly subject: 'none' | 'optional' | 'required';
  /** How the subject is shown in messages. */
  readonly shown?: string;
  /** Its options, beside `format` and those of every command. */
  readonly options: readonly string[];
  readonly load: () => Promise<{ readonly run: RunAction }>;
}

export type RunAction = (invocation: Invocation, subject: string | undefined) => Promise<ExitStatus>;
