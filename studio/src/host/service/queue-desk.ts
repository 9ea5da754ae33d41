import { execFile } from 'node:child_process';
import type { DeadLetter, KeptFigures, KeptMessage } from '../../shared/services.ts';
import type { RunnerOptions } from './runner-options.ts';

/** Milliseconds in which a broker has to answer. */
const longest = 60_000;
/** Bytes of all messages that are shown together. */
const mostBytes = 16 * 1024 * 1024;

type Place = Pick<RunnerOptions, 'program' | 'environment'>;

interface Asked {
  readonly connector: string;
  /** An expression over `input`; every message without it. */
  readonly where?: string | undefined;
  /** Digests of messages with commas between them; every message without it. */
  readonly only?: string | undefined;
  /** Absent for what has no limit. */
  readonly limit?: number;
}

/** The next messages of a connector; each stays where it is. Rejects with what the broker said. */
export async function peek(place: Place, cwd: string, asked: Asked): Promise<readonly KeptMessage[]> {
  const { messages } = await queueCommand(place, cwd, 'peek', asked);
  return messages as readonly KeptMessage[];
}

/** Dead letters of a connector with what their flows would do now; each stays where it is. */
export async function deadLetters(place: Place, cwd: string, asked: Asked): Promise<readonly DeadLetter[]> {
  const { dead_letters: letters } = await queueCommand(place, cwd, 'replay', asked);
  return letters as readonly DeadLetter[];
}

/** Sends dead letters back, or to another place, the earliest first; gives how many. Rejects with why it stopped. */
export async function sendBack(
  place: Place,
  cwd: string,
  {
    passing,
    to,
    content,
    ...asked
  }: Asked & {
    readonly passing?: boolean | undefined;
    readonly to?: string | undefined;
    /** What the one message that is chosen is sent with. */
    readonly content?: string | undefined;
  },
): Promise<number> {
  const options = [
    '--yes',
    ...(passing ? ['--passing'] : []),
    ...(to === undefined ? [] : [`--to=${to}`]),
    ...(content === undefined ? [] : ['--with', '-']),
  ];
  const { replayed } = await queueCommand(place, cwd, 'replay', asked, options, content);
  return (replayed as readonly unknown[]).length;
}

/** What the broker of a connector says of its queues. Rejects with why it says nothing. */
export async function figures(place: Place, cwd: string, connector: string): Promise<readonly KeptFigures[]> {
  const { connectors } = await queueCommand(place, cwd, 'list', { connector });
  const [{ places, reason } = { places: [] }] = connectors as readonly {
    readonly places: readonly KeptFigures[];
    readonly reason?: string;
  }[];
  if (reason !== undefined) throw new Error(reason);
  return places;
}

interface Addressed {
  readonly connector: string;
  /** Queue, topic or subject; where the flows of the connector take messages from without it. */
  readonly target?: string | undefined;
}

/** A message as the flows of a connector take it, which is not sent. */
export async function sample(place: Place, cwd: string, { connector, target }: Addressed) {
  const options = ['--sample', '--dry-run', ...targetOf(target)];
  const { target: where, messages } = await queueCommand(place, cwd, 'publish', { connector }, options);
  return { target: where as string | null, message: (messages as readonly unknown[])[0] };
}

/** Sends one message, a JSON object; gives where it went. */
export async function publish(
  place: Place,
  cwd: string,
  { connector, target, message }: Addressed & { readonly message: string },
) {
  const options = ['--input', '-', ...targetOf(target)];
  const { target: where } = await queueCommand(place, cwd, 'publish', { connector }, options, message);
  return { target: where as string | null };
}

function targetOf(target: string | undefined): readonly string[] {
  return target === undefined ? [] : [`--target=${target}`];
}

/** Removes dead letters for good, the earliest first; gives how many. Rejects with why it stopped. */
export async function discard(place: Place, cwd: string, asked: Asked): Promise<number> {
  const { discarded } = await queueCommand(place, cwd, 'discard', asked, ['--yes']);
  return (discarded as readonly unknown[]).length;
}

/** What `svc queue` answers for programs. It has a connection of its own, so that no service needs to run. */
function queueCommand(
  { program: { executable, args }, environment: env }: Place,
  cwd: string,
  word: string,
  { connector, where, only, limit }: Asked,
  options: readonly string[] = [],
  input?: string,
): Promise<Readonly<Record<string, unknown>>> {
  const chosen = [
    ...(where === undefined ? [] : [`--where=${where}`]),
    ...(only === undefined ? [] : [`--only=${only}`]),
  ];
  const words = [word, connector, ...chosen, ...options, ...(limit === undefined ? [] : ['--limit', String(limit)])];
  const command = [...args, 'queue', ...words, '--format', 'json', '-c', cwd];
  const surroundings = { cwd, env, timeout: longest, maxBuffer: mostBytes, windowsHide: true };
  return new Promise((resolve, reject) => {
    const child = execFile(executable, command, surroundings, (error, said, complained) => {
      if (error === null) resolve(JSON.parse(said));
      else if ((error as { readonly code?: unknown }).code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER')
        reject(new Error('the messages are larger than 16 MiB together: look at them with svc queue peek'));
      else reject(new Error(complained.trim().replace(/^svc queue: /, '') || error.message));
    });
    // One that ends without reading says why by itself.
    child.stdin?.on('error', () => undefined).end(input ?? '');
  });
}
