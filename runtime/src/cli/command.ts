/** How one option of a command is written. */
export interface OptionSpec {
  readonly short?: string;
  /** `flag` takes no value; `list` may be repeated and split by commas, `texts` be repeated alone. */
  readonly kind: 'text' | 'flag' | 'list' | 'texts';
  /** Shown in help: `-c, --config DIR`. */
  readonly placeholder?: string;
  readonly doc: string;
  /** The only values that are accepted. */
  readonly choices?: readonly string[];
}

/** What a command is called with, checked against its options. */
export interface Invocation {
  readonly options: Readonly<Record<string, string | boolean | readonly string[] | undefined>>;
  readonly positionals: readonly string[];
  readonly streams: Streams;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Where the command was typed. */
  readonly workingDirectory: string;
}

/** Results go to `out`, everything else to `error`. */
export interface Streams {
  readonly out: Writer;
  readonly error: Writer;
  /** Where answers to questions come from; undefined when no one can be asked. */
  readonly input?: NodeJS.ReadableStream | undefined;
}

export interface Writer {
  write(text: string): void;
  /** A terminal that shows colours. */
  readonly colour: boolean;
  /** Columns of the terminal; 80 when the output is not a terminal. */
  readonly width: number;
}

/**
 * 0 good, 1 bad, 2 wrong usage (docs/specification/command-line.md#exit-status); `start` mirrors signals as 128 + n.
 */
export type ExitStatus = number;

export type Run = (invocation: Invocation) => Promise<ExitStatus>;

/** The caller used the command wrongly; printed with the command's usage, exit status 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** One command of the program. Its code is imported only when it is called. */
export interface Command {
  readonly name: string;
  readonly summary: string;
  /** Positional arguments as shown in help: `[DIR]`. */
  readonly positionals?: string;
  readonly most?: number;
  readonly options: Readonly<Record<string, OptionSpec>>;
  /** Further help: behaviour, examples. */
  readonly details?: string;
  readonly load: () => Promise<{ readonly run: Run }>;
}
