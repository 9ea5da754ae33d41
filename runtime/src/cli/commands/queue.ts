import type { Project } from '@svc/protocol/model';
import type { ConnectorSpec } from '@svc/protocol/schema';
import { loadConfiguration } from '../../config/load.ts';
import { resolveOperation } from '../../connectors/operations.ts';
import { loadFactory } from '../../connectors/registry.ts';
import type { Connector } from '../../contracts/connector.ts';
import type { QueueDesk } from '../../contracts/queue.ts';
import { takenAddresses } from '../../export/asyncapi-exchanges.ts';
import { flowsOf } from '../../flow/declarations.ts';
import { commandCloseTime, withinTime } from '../../net/within-time.ts';
import { directoryOf } from '../call.ts';
import { type ExitStatus, type Invocation, type Run, type Streams, UsageError } from '../command.ts';
import { withoutService } from '../connector-services.ts';
import { messagesOf, readInput } from '../queue/input.ts';
import { jsonOf, shownMessage, textOfMessage } from '../queue/shown.ts';
import { reportText } from '../report.ts';

/** What is asked for. */
interface Asked {
  readonly word: Word;
  readonly connector: string;
  readonly limit: number;
  readonly isJson: boolean;
  readonly isConfirmed: boolean;
  readonly isDead: boolean;
  readonly target: string | undefined;
  /** Of `publish`. */
  readonly messages: readonly Readonly<Record<string, unknown>>[];
}

const words = ['peek', 'publish', 'replay'] as const;
type Word = (typeof words)[number];

/** What each word takes beside the connector. */
const optionsOf: Readonly<Record<Word, readonly string[]>> = {
  peek: ['limit', 'dead'],
  publish: ['input', 'target'],
  replay: ['limit', 'yes'],
};

/** Messages that are looked at or sent back where nothing is written. */
const standardLimits: Readonly<Record<Word, number>> = { peek: 10, publish: 0, replay: 100 };
const mostMessages = 10_000;

/** A queue or topic, not a pattern of several. */
const plainName = /^[^*#+>{},]+$/;

/**
 * `svc queue`: looks at messages at a broker, sends some, and sends dead letters back; no service needs to run. Resolves
 * with 0, or with 1 when the connector cannot do it or the broker refuses.
 */
export const run: Run = async (invocation) => {
  const { streams, environment, workingDirectory } = invocation;
  const asked = await askedOf(invocation);
  const directory = directoryOf({ ...invocation, positionals: [] });
  const load = { environment, workingDirectory, tests: false, workers: 1 };
  const { project, diagnostics, texts } = await loadConfiguration(directory, load);
  const errors = diagnostics.filter(({ severity }) => severity === 'error');
  if (errors.length > 0) {
    streams.error.write(reportText({ diagnostics: errors, texts }, streams.error.colour));
    return 1;
  }
  const interrupt = new AbortController();
  const stop = () => interrupt.abort(new Error('interrupted'));
  process.once('SIGINT', stop);
  try {
    const spec = specOf(project, asked.connector);
    const connector = await made(project, spec, asked.connector, directory, streams);
    if (asked.word === 'publish') await publish(connector, spec, project, asked, streams, interrupt.signal);
    else await atDesk(connector, spec, project, asked, streams, interrupt.signal);
    return 0;
  } catch (error) {
    streams.error.write(`svc queue: ${error instanceof Error ? error.message : String(error)}\n`);
    return 1;
  } finally {
    process.off('SIGINT', stop);
  }
};

async function askedOf({ positionals, options, streams, workingDirectory }: Invocation): Promise<Asked> {
  const [word, connector, ...rest] = positionals;
  if (word === undefined || !isWord(word))
    throw new UsageError(`${word === undefined ? 'say what to do' : `"${word}" is unknown`}: ${words.join(', ')}`);
  if (connector === undefined || rest.length > 0) throw new UsageError(`"${word}" takes the name of one connector`);
  for (const name of ['limit', 'dead', 'input', 'target', 'yes'])
    if (options[name] !== undefined && options[name] !== false && !optionsOf[word].includes(name))
      throw new UsageError(
        `--${name} belongs to ${words.filter((each) => optionsOf[each].includes(name)).join(' and ')}`,
      );
  const written = (name: string) => (typeof options[name] === 'string' ? options[name] : undefined);
  const limit = Number(written('limit') ?? standardLimits[word]);
  if (word !== 'publish' && (!Number.isInteger(limit) || limit < 1 || limit > mostMessages))
    throw new UsageError(`--limit takes a whole number from 1 to ${mostMessages}`);
  const input = written('input');
  if (word === 'publish' && input === undefined)
    throw new UsageError('--input names a file of messages, or - for standard input');
  return {
    word,
    connector,
    limit,
    isJson: options['format'] === 'json',
    isConfirmed: options['yes'] === true,
    isDead: options['dead'] === true,
    target: written('target'),
    messages: input === undefined ? [] : messagesOf(await readInput(input, workingDirectory, streams)),
  };
}

function isWord(word: string): word is Word {
  return (words as readonly string[]).includes(word);
}

/** Throws where the connector does not exist, or is not one of messages. */
function specOf(project: Project, name: string): ConnectorSpec {
  const spec = project.connectors.get(name)?.spec;
  const queues = [...project.connectors].filter(([, other]) => other.spec?.kind === 'queue').map(([other]) => other);
  const others = queues.length === 0 ? 'the configuration has no queue' : `queues are ${queues.join(', ')}`;
  if (spec === undefined) throw new Error(`there is no connector "${name}": ${others}`);
  if (spec.kind !== 'queue') throw new Error(`connector "${name}" (${spec.canonical}) is not a queue: ${others}`);
  return spec;
}

async function made(
  project: Project,
  spec: ConnectorSpec,
  name: string,
  directory: string,
  streams: Streams,
): Promise<Connector> {
  const create = await loadFactory(spec);
  return create(name, project.connectors.get(name)?.values as never, withoutService(directory, streams));
}

async function publish(
  connector: Connector,
  { canonical, channels }: ConnectorSpec,
  project: Project,
  { target: written, messages, isJson }: Asked,
  { out }: Streams,
  signal: AbortSignal,
): Promise<void> {
  const { name } = connector;
  if (connector.target === undefined) throw new Error(`connector "${name}" (${canonical}) sends no messages`);
  const addresses = takenAddresses(project, name);
  const [own] = addresses;
  const target = written ?? (addresses.length === 1 && own !== undefined && plainName.test(own) ? own : undefined);
  const params = target !== undefined && target === own ? channels?.straight : undefined;
  const execute = connector.target.prepare({
    verb: 'create',
    operation: undefined,
    target,
    query: undefined,
    timeout: undefined,
    exact: false,
    flow: 'svc queue publish',
    label: 'to',
  });
  let sent = 0;
  try {
    await (connector.openTarget?.(signal) ?? connector.open(signal));
    for (const payload of messages) {
      signal.throwIfAborted();
      await execute({ payload, signal, ...(params && { params }) });
      sent++;
    }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(sent === 0 ? reason : `${reason}; ${sent} of ${messages.length} messages were sent`);
  } finally {
    await withinTime(commandCloseTime, () => connector.close()).catch(() => undefined);
  }
  if (isJson) out.write(`${jsonOf({ connector: name, target: target ?? null, sent })}\n`);
  else out.write(`${counted(sent)} sent${target === undefined ? '' : ` to ${target}`}\n`);
}

async function atDesk(
  connector: Connector,
  { canonical }: ConnectorSpec,
  project: Project,
  asked: Asked,
  { out }: Streams,
  signal: AbortSignal,
): Promise<ExitStatus> {
  const { name } = connector;
  const doing = asked.word === 'peek' ? 'looked at' : 'sent back';
  if (connector.openDesk === undefined)
    throw new Error(
      `messages of connector "${name}" (${canonical}) cannot be ${doing}: it takes none, or its broker keeps none for it`,
    );
  const desk = await connector.openDesk({ operations: operationsOf(project, name), signal });
  try {
    const { json, lines } = await (asked.word === 'peek' ? peek(desk, asked) : replay(desk, asked, out));
    if (asked.isJson) out.write(`${jsonOf({ connector: name, ...json })}\n`);
    else for (const line of lines) out.write(`${line}\n`);
    return 0;
  } finally {
    await withinTime(commandCloseTime, () => desk.close()).catch(() => undefined);
  }
}

/** A result for programs, and the same for people. */
interface Printed {
  readonly json: object;
  readonly lines: readonly string[];
}

async function peek(desk: QueueDesk, { isDead, limit }: Asked): Promise<Printed> {
  const found = await desk.peek(isDead ? 'dead' : 'waiting', limit);
  const none = isDead ? 'No dead letters.' : 'No messages wait.';
  return {
    json: { messages: found.map(shownMessage) },
    lines: found.length === 0 ? [none] : found.flatMap(textOfMessage),
  };
}

async function replay(desk: QueueDesk, { isConfirmed, isJson, limit }: Asked, out: Streams['out']): Promise<Printed> {
  if (!isConfirmed) {
    const found = await desk.peek('dead', limit);
    const last =
      found.length === 0 ? 'No dead letters.' : `Nothing was sent: --yes sends ${counted(found.length)} back.`;
    return {
      json: { replayed: [], dead_letters: found.map(shownMessage) },
      lines: [...found.flatMap(textOfMessage), last],
    };
  }
  const replayed: object[] = [];
  await desk.replay(limit, (message) => {
    const { source, position, to } = message;
    replayed.push({ ...shownMessage(message), to });
    if (!isJson) out.write(`${source} ${position} -> ${to}\n`);
  });
  return { json: { replayed, dead_letters: [] }, lines: [`${counted(replayed.length)} sent back`] };
}

function counted(count: number): string {
  return count === 1 ? '1 message' : `${count} messages`;
}

/** What flows name of the connector, where they name something. */
function operationsOf(project: Project, name: string): readonly string[] {
  const declaration = project.connectors.get(name);
  const taken = flowsOf(project).flatMap(({ values: { from } }) => {
    if (from?.connector !== name || declaration === undefined) return [];
    return resolveOperation(declaration, from.operation)?.operation ?? from.operation ?? [];
  });
  return [...new Set(taken)];
}
