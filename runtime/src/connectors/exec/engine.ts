import type { Failure } from '../../foundation/errors/failure.ts';
import type { Log } from '../../foundation/observe/log.ts';
import type { Exit } from '../../platform/processes/exit.ts';
import type { Launch } from '../../platform/processes/program.ts';
import type { Runner } from '../../platform/processes/runner.ts';

export type InputFormat = 'json' | 'stdin' | 'args';

/** What the blocks of both drivers say of a call. */
export interface ExecConfig {
  readonly command: string;
  readonly args?: readonly string[] | undefined;
  readonly timeout: number;
  readonly kill_after: number;
  readonly input_format: InputFormat;
  readonly output_format: 'json' | 'text' | 'lines' | 'binary';
  readonly content_type: string;
  readonly max_output: number;
  readonly max_stderr: number;
}

/** What is exchanged with the place of a program before it begins: one whose mark has not come has not begun. */
export interface Opening {
  /** What comes before the output of the program. */
  readonly mark: Uint8Array;
  /** What is sent then, before the input of the call, and lets the program begin. */
  readonly answer: Uint8Array;
}

/** What prepared calls need of their connector. */
export interface Engine {
  readonly connector: string;
  readonly config: ExecConfig;
  readonly runner: Runner;
  readonly log: Log;
  /** Throws while the connector is not open. */
  readonly demandOpen: () => void;
  /** Hears of a command that calls will ask for. */
  readonly uses: (command: string) => void;
  /** What is started for a command. Rejects with a Failure. */
  launch(command: string, args: readonly string[]): Promise<Launch>;
  /** How it is known whether a program has begun; undefined: it has when it was started. */
  readonly opening: Opening | undefined;
  /** Why a program failed that ended so; undefined when it did not. `hasBegun`: as its opening says. */
  failed(exit: Exit, stderr: string, hasBegun: boolean): Failure | undefined;
}
