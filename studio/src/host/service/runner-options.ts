import type { Emit } from '../host.ts';

export interface RunnerOptions {
  readonly program: Program;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly emit: Emit;
}

/** How `svc` itself is run: arguments precede the command. */
export interface Program {
  readonly executable: string;
  readonly args: readonly string[];
}
