import { closest } from '@svc/protocol/text';
import { globalOptions, parseArguments } from './arguments.ts';
import { type ExitStatus, type Invocation, type OptionSpec, type Streams, UsageError, type Writer } from './command.ts';
import { commands } from './commands.ts';
import { commandHelp, programHelp } from './help.ts';

/** Where and with which variables a command is typed. */
type Place = Pick<Invocation, 'environment' | 'workingDirectory'>;

/** The program: runs one command and says how it ended. Never throws. */
export async function main(
  words: readonly string[],
  streams: Streams = standardStreams,
  place: Place = { environment: process.env, workingDirectory: process.cwd() },
): Promise<ExitStatus> {
  const [name, ...rest] = commandFirst(words);
  if (name === undefined || name === '--help' || name === '-h' || (name === 'help' && rest.length === 0)) {
    streams.out.write(programHelp(commands));
    return name === undefined ? 2 : 0;
  }
  const wanted = name === '--version' ? 'version' : name === 'help' ? rest[0] : name;
  const command = commands.find((candidate) => candidate.name === wanted);
  if (!command) {
    const near = closest(
      wanted ?? '',
      commands.map((candidate) => candidate.name),
    );
    streams.error.write(
      `svc: there is no command "${wanted}"${near === undefined ? '' : `; did you mean "${near}"?`}\n`,
    );
    streams.error.write('svc --help lists the commands.\n');
    return 2;
  }
  try {
    if (name === 'help' || rest.includes('--help') || rest.includes('-h')) {
      streams.out.write(commandHelp(command));
      return 0;
    }
    const { options, positionals } = parseArguments(name === '--version' ? [] : rest, command);
    const { run } = await command.load();
    return await run({ options, positionals, streams, ...place });
  } catch (error) {
    if (error instanceof UsageError) {
      streams.error.write(`svc ${command.name}: ${error.message}\nsvc ${command.name} --help shows how it is used.\n`);
      return 2;
    }
    streams.error.write(`svc ${command.name}: ${wordsOf(error)}\n`);
    return 1;
  }
}

/** What the system refused, such as a folder that this user may not read, in a line; every other error with its stack. */
function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code, syscall, path } = error as NodeJS.ErrnoException;
  if (code === undefined || syscall === undefined || path === undefined) return error.stack ?? error.message;
  const reason = new RegExp(`^${code}: (.+?), ${syscall}`).exec(error.message)?.[1] ?? error.message;
  return `${path} cannot be used: ${reason} (${code}, ${syscall})`;
}

/** Those of the process; the input is not touched before a command reads it. */
const standardStreams: Streams = {
  get out() {
    return writer(process.stdout);
  },
  get error() {
    return writer(process.stderr);
  },
  get input() {
    return process.stdin;
  },
};

/** The options of every command may be written before its name too. */
function commandFirst(words: readonly string[]): readonly string[] {
  let at = 0;
  while (at < words.length) {
    const option = globalOption(words[at] as string);
    if (option === undefined) break;
    at += option.kind === 'flag' || (words[at] as string).includes('=') ? 1 : 2;
  }
  const name = words[at];
  return name === undefined ? words : [name, ...words.slice(0, at), ...words.slice(at + 1)];
}

function globalOption(word: string): OptionSpec | undefined {
  const entries: [string, OptionSpec][] = Object.entries(globalOptions);
  return entries.find(
    ([name, { short }]) =>
      name !== 'help' && (word === `--${name}` || word.startsWith(`--${name}=`) || word === `-${short}`),
  )?.[1];
}

function writer(stream: NodeJS.WriteStream): Writer {
  return {
    write: (text) => void stream.write(text),
    colour: stream.isTTY === true && !process.env['NO_COLOR'],
    width: stream.columns ?? 80,
  };
}
