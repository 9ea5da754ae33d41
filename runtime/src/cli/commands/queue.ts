import type { Project } from '@svc/protocol/model';
import { titleOf } from '../../connectors/core/declaration.ts';
import type { PatternGrammar } from '../../foundation/contracts/patterns.ts';
import { commandCloseTime, withinTime } from '../../platform/net/within-time.ts';
import { loadConfiguration } from '../../service/config/load.ts';
import { type DryRun, dryRunOf } from '../../tools/queues/dry-run.ts';
import { figuresOf } from '../../tools/queues/figures.ts';
import { publish, sampleOf, standardTarget } from '../../tools/queues/publishing.ts';
import { jsonOf } from '../../tools/queues/shown.ts';
import { deskOf, type QueueConnector, queueConnector, queuesOf } from '../../tools/queues/sources.ts';
import { directoryOf } from '../call.ts';
import type { ExitStatus, Run, Streams } from '../command.ts';
import { withoutService } from '../connector-services.ts';
import { type Asked, askedOf } from '../queue/asked.ts';
import { counted, discard, list, peek, replay } from '../queue/printed.ts';
import { reportText } from '../report.ts';

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
    const make = (name: string) => queueConnector(project, name, withoutService(directory, streams));
    if (asked.word === 'list') return await listed(project, asked, make, streams, interrupt.signal);
    const queue = await make(asked.connector as string);
    if (asked.word === 'publish') await published(queue, asked, streams, interrupt.signal);
    else {
      const place = { directory, environment, workingDirectory };
      const dryRun = (patterns: PatternGrammar) => dryRunOf(queue.name, patterns, place);
      await atDesk(queue, asked, dryRun, streams, interrupt.signal);
    }
    return 0;
  } catch (error) {
    streams.error.write(`svc queue: ${error instanceof Error ? error.message : String(error)}\n`);
    return 1;
  } finally {
    process.off('SIGINT', stop);
  }
};

/** One broker that cannot be asked does not hide the others. */
async function listed(
  project: Project,
  { connector, isJson }: Asked,
  make: (name: string) => Promise<QueueConnector>,
  { out }: Streams,
  signal: AbortSignal,
): Promise<ExitStatus> {
  const names = connector === undefined ? queuesOf(project) : [connector];
  const all = await Promise.all(names.map(async (name) => figuresOf(await make(name), signal)));
  const { json, lines } = list(all);
  out.write(isJson ? `${jsonOf(json)}\n` : `${lines.join('\n')}\n`);
  return all.some(({ hasFailed }) => hasFailed) ? 1 : 0;
}

async function published(
  queue: QueueConnector,
  { target: written, messages: given, isJson, isDryRun }: Asked,
  { out }: Streams,
  signal: AbortSignal,
): Promise<void> {
  const target = written ?? standardTarget(queue);
  const messages = given ?? [sampleOf(queue, written)];
  if (!isDryRun) await publish(queue, messages, target, signal);
  const sent = isDryRun ? 0 : messages.length;
  const where = target === undefined ? '' : ` to ${target}`;
  if (isJson)
    out.write(`${jsonOf({ connector: queue.name, target: target ?? null, sent, ...(isDryRun && { messages }) })}\n`);
  else if (isDryRun) out.write(`${messages.map(jsonOf).join('\n')}\nNothing was sent${where}.\n`);
  else out.write(`${counted(sent)} sent${where}\n`);
}

async function atDesk(
  queue: QueueConnector,
  asked: Asked,
  dryRun: (patterns: PatternGrammar) => Promise<DryRun>,
  { out }: Streams,
  signal: AbortSignal,
): Promise<void> {
  const { name } = queue;
  const { word, choose } = asked;
  const doing = { list: 'counted', peek: 'looked at', publish: 'sent', replay: 'sent back', discard: 'removed' }[word];
  const desk = await deskOf(queue, signal);
  if (desk === undefined)
    throw new Error(`messages of ${titleOf(queue)} cannot be ${doing}: it takes none, or its broker keeps none for it`);
  const work = {
    peek: () => peek(desk, asked, choose),
    replay: () => replay(desk, asked, choose, () => dryRun(desk.patterns), out),
    discard: () => discard(desk, asked, choose, out),
  };
  try {
    const { json, lines } = await work[word as keyof typeof work]();
    if (asked.isJson) out.write(`${jsonOf({ connector: name, ...json })}\n`);
    else for (const line of lines) out.write(`${line}\n`);
  } finally {
    await withinTime(commandCloseTime, () => desk.close()).catch(() => undefined);
  }
}
