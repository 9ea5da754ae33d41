import { flowsOf } from '../../engine/flow/declarations.ts';
import type { Plan } from '../../foundation/contracts/plan.ts';
import { systemClock } from '../../foundation/observe/clock.ts';
import { Secrecy } from '../../service/debug/values/snapshot.ts';
import { UnreachableProblem } from '../../service/running/problems.ts';
import type { Loaded } from '../../service/running/setup.ts';
import type { DapOptions } from '../../tools/trace/dap/session.ts';
import { InputProblem, type TypedMessage } from '../../tools/trace/message.ts';
import { Places } from '../../tools/trace/places.ts';
import type { Recording } from '../../tools/trace/recording.ts';
import { PlaceProblem, splitPlaces } from '../../tools/trace/stepping/breakpoint.ts';
import { recordingText } from '../../tools/trace/text.ts';
import { operationOf, type Stepper, trace } from '../../tools/trace/trace.ts';
import { directoryOf } from '../call.ts';
import { type ExitStatus, type Invocation, type Run, type Streams, UsageError } from '../command.ts';
import { messageOf } from '../message-options.ts';
import { loadForFlow, openTimeout, problemText, refuse, refuseUnknown, servicesOf } from '../one-flow.ts';
import type { Surroundings } from '../surroundings.ts';

/** `svc trace`: runs one flow for one message, without its trigger, and shows what it does. Resolves with 1 when the flow failed. */
export const run: Run = async (invocation) => {
  const { options, positionals, streams } = invocation;
  const lists = options['list'] === true;
  const flow = lists ? undefined : positionals[0];
  if (flow === undefined && !lists) throw new UsageError('name a flow; svc trace --list shows them');
  const directory = directoryOf({ ...invocation, positionals: positionals.slice(lists ? 0 : 1) });
  const { surroundings, loaded } = await loadForFlow(invocation, directory);
  const { ready } = loaded;
  if (ready === undefined) return refuse(loaded, streams);
  if (flow === undefined) return list(ready.plan, options['format'] === 'json', streams);
  refuseUnknown(flow, ready.plan);
  try {
    const { plan } = ready;
    const places = new Places(plan.project);
    return await traceFlow({ flow, plan, places, directory, loaded, surroundings }, invocation);
  } catch (error) {
    if (error instanceof InputProblem || error instanceof PlaceProblem) throw new UsageError(error.message);
    if (!(error instanceof UnreachableProblem)) throw error;
    for (const line of problemText(error).split('\n')) streams.error.write(`svc trace: ${line}\n`);
    return 1;
  } finally {
    surroundings.flush();
  }
};

interface Traced {
  readonly flow: string;
  readonly plan: Plan;
  readonly places: Places;
  readonly directory: string;
  readonly loaded: Loaded;
  readonly surroundings: Surroundings;
}

async function traceFlow(traced: Traced, invocation: Invocation): Promise<ExitStatus> {
  const { options, streams } = invocation;
  const message = messageOf(invocation);
  const dryRun = options['dry-run'] === true;
  if (typeof options['dap'] === 'string') return serveClient(traced, { message, dryRun }, invocation);
  const interrupt = new AbortController();
  const stepping = await steppingOf(traced, invocation);
  const onInterrupt = () => interrupt.abort(new Error('interrupted'));
  // A person at a prompt wants the flow to end where it is.
  if (stepping === undefined) process.once('SIGINT', onInterrupt);
  try {
    const recording = await recorded(traced, { message, dryRun }, stepping?.stepper, interrupt.signal);
    if (recording === undefined) return 0;
    const shown =
      options['format'] === 'json'
        ? `${JSON.stringify(recording, null, 2)}\n`
        : recordingText(recording, streams.out.colour);
    streams.out.write(shown);
    return recording.outcome.kind === 'failure' ? 1 : 0;
  } finally {
    process.off('SIGINT', onInterrupt);
    stepping?.close();
  }
}

interface Wanted {
  readonly message: TypedMessage;
  readonly dryRun: boolean;
}

function recorded(
  { flow, plan, places, directory, loaded, surroundings }: Traced,
  wanted: Wanted,
  stepper: Stepper | undefined,
  signal: AbortSignal,
): Promise<Recording | undefined> {
  return trace({
    ...wanted,
    plan,
    diagnostics: loaded.diagnostics,
    flow,
    // A dry run shows what would be sent itself.
    services: servicesOf(surroundings, plan, directory, wanted.dryRun ? undefined : surroundings.outbox),
    secrecy: new Secrecy(surroundings.options.group !== 'development'),
    hidden: plan.project.hostTexts,
    places,
    stepper,
    signal,
    openTimeout,
  });
}

/** Refuses to hold flows outside development. */
function heldOptions({ plan, surroundings: { options: settings, variables, log } }: Traced, option: string) {
  if (settings.group !== 'development')
    throw new UsageError(`${option} is for development; this is ${settings.environment}`);
  const { maxPause } = settings.debug;
  return { project: plan.project, clock: systemClock, log, variables, masksNames: false, maxPause };
}

/** Asks on the terminal where to go; undefined when no prompt was asked for. */
async function steppingOf(
  traced: Traced,
  { options, streams }: Invocation,
): Promise<{ readonly stepper: Stepper; readonly close: () => void } | undefined> {
  const written = options['break-at'];
  if (options['breakpoints'] !== true && typeof written !== 'string') return undefined;
  const held = heldOptions(traced, typeof written === 'string' ? '--break-at' : '--breakpoints');
  if (streams.input === undefined) throw new UsageError('there is no input to ask for commands');
  const [{ TerminalStepper }, { Lines }] = await Promise.all([
    import('../../tools/trace/stepping/terminal.ts'),
    import('../../tools/trace/stepping/lines.ts'),
  ]);
  const lines = new Lines(streams.input);
  const breakAt = typeof written === 'string' ? splitPlaces(written) : [];
  const stepper = new TerminalStepper({
    ...held,
    flow: traced.flow,
    places: traced.places,
    breakAt: breakAt.length === 0 ? ['input'] : breakAt,
    lines,
    write: (text) => streams.error.write(text),
  });
  return { stepper, close: () => lines.close() };
}

/** Lets one editor of this machine launch the flow and step through it. */
async function serveClient(traced: Traced, wanted: Wanted, { options, streams }: Invocation): Promise<ExitStatus> {
  const held = heldOptions(traced, '--dap');
  const written = String(options['dap']);
  const port = /^\d{1,5}$/.test(written) ? Number(written) : -1;
  if (port < 0 || port > 65_535) throw new UsageError(`--dap is a port from 0 to 65535, not "${written}"`);
  const [{ DapSession }, { listenForClient }] = await Promise.all([
    import('../../tools/trace/dap/session.ts'),
    import('../../tools/trace/dap/listen.ts'),
  ]);
  const { flow, places, directory } = traced;
  const run: DapOptions['run'] = async ({ input, dryRun }, stepper) => {
    const message = input === undefined ? wanted.message : { ...wanted.message, input };
    try {
      const given = { message, dryRun: dryRun || wanted.dryRun };
      const recording = await recorded(traced, given, stepper, new AbortController().signal);
      if (recording === undefined) return { text: '', status: 0 };
      return { text: recordingText(recording, false), status: recording.outcome.kind === 'failure' ? 1 : 0 };
    } catch (error) {
      return { text: `${problemText(error)}\n`, status: 1 };
    }
  };
  const complain = (why: string) => streams.error.write(`svc trace: ${why}\n`);
  const listening = await listenForClient(
    port,
    (send) => new DapSession({ ...held, flow, places, directory, send, run }),
    complain,
  ).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EADDRINUSE') throw new UsageError(`port ${port} is taken`);
    throw error;
  });
  streams.error.write(`waiting for one client of the Debug Adapter Protocol on 127.0.0.1:${listening.port}\n`);
  return listening.over;
}

/** Every flow with what triggers it and where it goes. */
function list(plan: Plan, asJson: boolean, { out }: Streams): ExitStatus {
  const rows = flowsOf(plan.project).map(({ name, values: { from, to, when } }) => ({
    flow: name,
    from: from?.connector ?? '',
    operation: operationOf(plan, name) ?? '',
    schedule: when?.schedule ?? '',
    to: to.map(({ connector }) => connector),
  }));
  if (asJson) {
    out.write(`${JSON.stringify(rows, null, 2)}\n`);
    return 0;
  }
  const width = Math.max(0, ...rows.map(({ flow }) => flow.length));
  for (const { flow, from, operation, schedule, to } of rows) {
    const source = [[from, operation].filter(Boolean).join(' '), schedule].filter(Boolean).join(', ');
    const target = to.length === 0 ? '' : ` → ${to.join(', ')}`;
    out.write(`${`${flow.padEnd(width)}  ${source}${target}`.trimEnd()}\n`);
  }
  return 0;
}
