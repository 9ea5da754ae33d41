import { closest } from '@svc/protocol/text';
import { parseArguments } from './arguments.ts';
import { type ExitStatus, type Streams, UsageError, type Writer } from './command.ts';
import { commands } from './commands.ts';
import { commandHelp, programHelp } from './help.ts';

/** The program: runs one command and says how it ended. Never throws. */
export async function main(
  words: readonly string[],
  streams: Streams = { out: writer(process.stdout), error: writer(process.stderr) },
): Promise<ExitStatus> {
  const [name, ...rest] = words;
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
    return await run({ options, positionals, streams, environment: process.env, workingDirectory: process.cwd() });
  } catch (error) {
    if (error instanceof UsageError) {
      streams.error.write(`svc ${command.name}: ${error.message}\nsvc ${command.name} --help shows how it is used.\n`);
      return 2;
    }
    streams.error.write(
      `svc ${command.name}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
    );
    return 1;
  }
}

function writer(stream: NodeJS.WriteStream): Writer {
  return {
    write: (text) => void stream.write(text),
    colour: stream.isTTY === true && !process.env['NO_COLOR'],
    width: stream.columns ?? 80,
  };
}
