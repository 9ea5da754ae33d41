import { execFile } from 'node:child_process';
import type { KeptMessage } from '../../shared/services.ts';
import type { RunnerOptions } from './service-runner.ts';

/** Milliseconds in which a broker has to answer. */
const longest = 60_000;
/** Bytes of all messages that are shown together. */
const mostBytes = 16 * 1024 * 1024;

type Place = Pick<RunnerOptions, 'program' | 'environment'>;

/** The next messages of a connector, or its dead letters; each stays where it is. Rejects with what the broker said. */
export async function peek(
  place: Place,
  cwd: string,
  {
    connector,
    dead = false,
    limit,
  }: { readonly connector: string; readonly dead?: boolean | undefined; limit: number },
): Promise<readonly KeptMessage[]> {
  const side = dead ? ['--dead'] : [];
  const { messages } = await queueCommand(place, cwd, ['peek', connector, ...side, '--limit', String(limit)]);
  return messages as readonly KeptMessage[];
}

/** Sends dead letters back to where they came from, the earliest first; gives how many. Rejects with why it stopped. */
export async function sendBack(
  place: Place,
  cwd: string,
  { connector, limit }: { readonly connector: string; limit: number },
): Promise<number> {
  const { replayed } = await queueCommand(place, cwd, ['replay', connector, '--yes', '--limit', String(limit)]);
  return (replayed as readonly unknown[]).length;
}

/** What `svc queue` answers for programs. It has a connection of its own, so that no service needs to run. */
function queueCommand(
  { program: { executable, args }, environment: env }: Place,
  cwd: string,
  words: readonly string[],
): Promise<Readonly<Record<string, unknown>>> {
  const command = [...args, 'queue', ...words, '--format', 'json', '-c', cwd];
  const options = { cwd, env, timeout: longest, maxBuffer: mostBytes, windowsHide: true };
  return new Promise((resolve, reject) => {
    execFile(executable, command, options, (error, said, complained) => {
      if (error === null) resolve(JSON.parse(said));
      else if ((error as { readonly code?: unknown }).code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER')
        reject(new Error('the messages are larger than 16 MiB together: look at them with svc queue peek'));
      else reject(new Error(complained.trim().replace(/^svc queue: /, '') || error.message));
    });
  });
}
