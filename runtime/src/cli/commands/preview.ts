import { resolve } from 'node:path';
import type { ConnectorSpec } from '@svc/protocol/schema';
import type { Capture, CapturedMessage } from '../../foundation/contracts/capture.ts';
import type { Plan } from '../../foundation/contracts/plan.ts';
import { systemClock } from '../../foundation/observe/clock.ts';
import { NotificationOutbox } from '../../platform/outbox/notification-outbox.ts';
import { Secrecy } from '../../service/debug/values/snapshot.ts';
import { UnreachableProblem } from '../../service/running/problems.ts';
import { InputProblem } from '../../tools/trace/message.ts';
import { Places } from '../../tools/trace/places.ts';
import { trace } from '../../tools/trace/trace.ts';
import { directoryOf } from '../call.ts';
import { type Invocation, type Run, UsageError } from '../command.ts';
import { messageOf } from '../message-options.ts';
import { loadForFlow, openTimeout, problemText, refuse, refuseUnknown, servicesOf } from '../one-flow.ts';

/** A message and the connector that would send it. */
interface Previewed extends CapturedMessage {
  readonly connector: string;
}

/** `svc preview`: runs one flow without its effects, and shows the notifications that it would send. */
export const run: Run = async (invocation) => {
  const { streams } = invocation;
  const [kind, flow, ...others] = invocation.positionals;
  if (kind === undefined || flow === undefined) throw new UsageError('name a kind and a flow: svc preview email FLOW');
  const directory = directoryOf({ ...invocation, positionals: others });
  // Where SVC_CAPTURE keeps messages does not matter here.
  const own = { ...invocation, environment: { ...invocation.environment, SVC_CAPTURE: '' } };
  const { surroundings, loaded } = await loadForFlow(own, directory);
  if (loaded.ready === undefined) return refuse(loaded, streams);
  const { plan } = loaded.ready;
  refuseUnknown(flow, plan);
  const wanted = connectorsOf(kind, plan);
  const messages: Previewed[] = [];
  try {
    const recording = await trace({
      plan,
      diagnostics: loaded.diagnostics,
      flow,
      message: messageOf(invocation),
      dryRun: true,
      services: servicesOf(
        surroundings,
        plan,
        directory,
        collecting((message) => wanted.has(message.connector) && messages.push(message)),
      ),
      secrecy: new Secrecy(surroundings.options.group !== 'development'),
      hidden: plan.project.hostTexts,
      places: new Places(plan.project),
      signal: new AbortController().signal,
      openTimeout,
    });
    const outcome = recording?.outcome;
    if (outcome?.kind === 'failure') streams.error.write(`svc preview: flow "${flow}" fails: ${outcome.message}\n`);
    await show(messages, invocation);
    if (messages.length === 0) streams.error.write(`svc preview: flow "${flow}" sends nothing of this kind\n`);
    return messages.length === 0 || outcome?.kind === 'failure' ? 1 : 0;
  } catch (error) {
    if (error instanceof InputProblem) throw new UsageError(error.message);
    if (!(error instanceof UnreachableProblem)) throw error;
    for (const line of problemText(error).split('\n')) streams.error.write(`svc preview: ${line}\n`);
    return 1;
  } finally {
    surroundings.flush();
  }
};

/** Connectors whose messages are shown. Throws UsageError for a kind that this configuration has no connector of. */
function connectorsOf(kind: string, { connectors }: Plan): ReadonlySet<string> {
  const sending = connectors.flatMap(({ name, declaration: { spec } }) =>
    spec?.kind === 'notify' ? [{ name, words: wordsOf(spec) }] : [],
  );
  const wanted = sending.filter(({ words }) => kind === 'all' || words.includes(kind));
  if (wanted.length > 0) return new Set(wanted.map(({ name }) => name));
  const kinds = [...new Set(sending.map(({ words: [type] }) => type))];
  const known = kinds.length === 0 ? 'it has no connector that sends notifications' : `it has ${kinds.join(', ')}`;
  throw new UsageError(`the configuration has no connector of the type "${kind}": ${known}`);
}

function wordsOf({ type, typeAliases = [], canonical }: ConnectorSpec): readonly string[] {
  return [type, ...typeAliases, canonical];
}

/** Keeps messages in memory, whose names are their numbers. */
function collecting(add: (message: Previewed) => unknown, connector = ''): Capture {
  let count = 0;
  return {
    keep: async (message) => {
      add({ ...message, connector });
      return `preview-${++count}`;
    },
    of: (name) => collecting(add, name),
  };
}

async function show(messages: readonly Previewed[], { options, streams, workingDirectory }: Invocation): Promise<void> {
  const { out } = streams;
  const folder = options['output'];
  if (typeof folder === 'string') {
    const outbox = new NotificationOutbox(resolve(workingDirectory, folder), systemClock);
    await outbox.open();
    const files: string[] = [];
    for (const { connector, ...message } of messages)
      files.push(...(await outbox.filesOf(await outbox.of(connector).keep(message))));
    const isJson = options['format'] === 'json';
    out.write(isJson ? `${JSON.stringify(files, undefined, 2)}\n` : files.map((file) => `${file}\n`).join(''));
  } else if (options['format'] === 'json') out.write(`${JSON.stringify(messages.map(readable), undefined, 2)}\n`);
  else out.write(messages.map(textOf).join(`\n${'─'.repeat(40)}\n`));
}

function readable({ mail, ...message }: Previewed) {
  return mail === undefined ? message : { ...message, mail: Buffer.from(mail).toString() };
}

function textOf({ connector, provider, place, shown, request }: Previewed): string {
  const { to, from, title, text, html } = shown;
  const lines = [
    ['Connector', `${connector} (${provider})`],
    ['Sent by', place],
    ['From', from],
    ['To', to.slice(0, 20).join(', ') + (to.length > 20 ? ` and ${to.length - 20} more` : '')],
    ['Subject', title],
    ['Request', request && `${request.method} ${request.url}`],
  ].filter(([, value]) => value !== undefined && value !== '');
  const body = [text, html === undefined ? undefined : `HTML:\n${html}`].filter((part) => part !== undefined);
  return `${lines.map(([name, value]) => `${name}: ${value}`).join('\n')}\n\n${body.join('\n\n')}\n`;
}
