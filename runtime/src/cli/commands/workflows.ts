import type { Project } from '@svc/protocol/model';
import { dialectOf } from '../../connectors/database/engines.ts';
import { loadFactory } from '../../connectors/registry.ts';
import { sagasOf } from '../../engine/flow/declarations.ts';
import { service } from '../../engine/settings/spec.ts';
import { type SagaOutline, WorkflowControl } from '../../engine/workflows/api/control.ts';
import { signalBody } from '../../engine/workflows/api/signal-body.ts';
import { isStatus, statuses } from '../../engine/workflows/api/status.ts';
import { viewOf, type WorkflowView } from '../../engine/workflows/api/view.ts';
import { RelationalStore } from '../../engine/workflows/store/relational-store.ts';
import type { Connector } from '../../foundation/contracts/connector.ts';
import { Failure } from '../../foundation/errors/failure.ts';
import { systemClock } from '../../foundation/observe/clock.ts';
import { decodeJson } from '../../platform/formats/json.ts';
import { commandCloseTime, withinTime } from '../../platform/net/within-time.ts';
import { loadConfiguration } from '../../service/config/load.ts';
import { directoryOf } from '../call.ts';
import { type ExitStatus, type Invocation, type Run, UsageError } from '../command.ts';
import { withoutService } from '../connector-services.ts';
import { reportText } from '../report.ts';

/** What is done with an open store; resolves with what to print. */
type Action = (control: WorkflowControl) => Promise<Printed>;

/** A result for programs, and the same for people. */
interface Printed {
  readonly json: unknown;
  readonly lines: readonly string[];
}

/**
 * `svc workflows`: looks at workflows in their database and asks for changes, without a running service. Resolves with 0,
 * or with 1 when the workflow does not exist, cannot take what was asked, or the database cannot be used.
 */
export const run: Run = async (invocation) => {
  const action = actionOf(invocation);
  const { options, streams, environment, workingDirectory } = invocation;
  const directory = directoryOf({ ...invocation, positionals: [] });
  const load = { environment, workingDirectory, tests: false, workers: 1 };
  const { project, diagnostics, texts } = await loadConfiguration(directory, load);
  const errors = diagnostics.filter(({ severity }) => severity === 'error');
  if (errors.length > 0) {
    streams.error.write(reportText({ diagnostics: errors, texts }, streams.error.colour));
    return 1;
  }
  return withStore(project, directory, invocation, async (control) => {
    const { json, lines } = await action(control);
    if (options['format'] === 'json') streams.out.write(`${JSON.stringify(json, null, 2)}\n`);
    else for (const line of lines) streams.out.write(`${line}\n`);
  });
};

function actionOf({ positionals, options }: Invocation): Action {
  const [word = 'list', id, event, ...rest] = positionals;
  const expects = { list: 0, show: 1, signal: 2, cancel: 1 }[word];
  if (expects === undefined)
    throw new UsageError(`"${word}" is unknown; it can be list, show ID, signal ID EVENT, cancel ID`);
  const given = [id, event, ...rest].filter((each) => each !== undefined).length;
  if (given !== expects)
    throw new UsageError(`"${word}" takes ${['no argument', 'an ID', 'an ID and an EVENT'][expects]}`);
  for (const name of ['status', 'saga', 'limit', 'after'])
    if (options[name] !== undefined && word !== 'list') throw new UsageError(`--${name} belongs to "list"`);
  if (options['data'] !== undefined && word !== 'signal') throw new UsageError('--data belongs to "signal"');
  switch (word) {
    case 'show':
      return async (control) => shown(viewOf(await control.get(id as string)));
    case 'signal': {
      const body = bodyOf(options['data']);
      return async (control) => answered(await control.signal(id as string, event as string, body));
    }
    case 'cancel':
      return async (control) => answered(await control.cancel(id as string));
    default:
      return list(options);
  }
}

function bodyOf(data: Invocation['options'][string]): Readonly<Record<string, unknown>> {
  if (typeof data !== 'string') return {};
  try {
    return signalBody(decodeJson(data));
  } catch (error) {
    if (error instanceof Failure) throw new UsageError(`--data takes a JSON object: ${error.message}`);
    throw error;
  }
}

function list(options: Invocation['options']): Action {
  const word = (name: string) => (typeof options[name] === 'string' ? options[name] : undefined);
  const status = word('status');
  if (status !== undefined && !isStatus(status)) throw new UsageError(`--status takes ${statuses.join(', ')}`);
  const limit = Number(word('limit') ?? 50);
  if (!Number.isInteger(limit) || limit < 1) throw new UsageError('--limit takes a whole number from 1');
  return async (control) => {
    const { workflows, next } = await control.list({ status, saga: word('saga'), limit, after: word('after') });
    const views = workflows.map(viewOf);
    const more = next === undefined ? [] : [`More: --after ${next}`];
    return {
      json: { workflows: views, next: next ?? null },
      lines: views.length === 0 ? ['No workflows.'] : [...table(views), ...more],
    };
  };
}

function table(views: readonly WorkflowView[]): string[] {
  const rows = [
    ['ID', 'SAGA', 'STATUS', 'STEP', 'UPDATED', 'WAITS FOR'],
    ...views.map((view) => [
      view.id,
      view.saga,
      view.status,
      view.current_step ?? '',
      view.updated_at,
      view.awaiting_event ?? view.resume_after ?? '',
    ]),
  ];
  const widths = (rows[0] as string[]).map((_, column) => Math.max(...rows.map((row) => (row[column] ?? '').length)));
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] as number))
      .join('  ')
      .trimEnd(),
  );
}

function shown(view: WorkflowView): Printed {
  const known = Object.entries(view).filter(([, value]) => value !== null && value.length > 0);
  const width = Math.max(...known.map(([name]) => name.length));
  const text = (value: unknown) => (Array.isArray(value) ? value.join('; ') : String(value));
  return { json: view, lines: known.map(([name, value]) => `${name.padEnd(width)}  ${text(value)}`) };
}

function answered(answer: { readonly workflow_id: string; readonly message: string }): Printed {
  return { json: answer, lines: [`${answer.workflow_id}: ${answer.message}`] };
}

/** Opens the database that `service.workflow` names, and closes it after the work. */
async function withStore(
  project: Project,
  directory: string,
  { streams }: Invocation,
  work: (control: WorkflowControl) => Promise<void>,
): Promise<ExitStatus> {
  const complain = (text: string) => {
    streams.error.write(`svc workflows: ${text}\n`);
    return 1;
  };
  const settings = project.one('service', service)?.workflow;
  if (settings === undefined) return complain('the configuration keeps no workflows: service has no workflow block');
  const { storage, table: name } = settings;
  const declaration = project.connectors.get(storage);
  const dialect = dialectOf(declaration?.spec)?.runtimeTables;
  if (declaration?.spec === undefined || dialect === undefined) return complain(`"${storage}" cannot keep workflows`);
  const create = await loadFactory(declaration.spec);
  const connector: Connector = create(storage, declaration.values, withoutService(directory, streams));
  const interrupt = new AbortController();
  const stop = () => interrupt.abort(new Error('interrupted'));
  process.once('SIGINT', stop);
  try {
    await connector.open(interrupt.signal);
    const remedy = 'start the service once, which makes it';
    const store = new RelationalStore({ connector, dialect, table: name, create: false, remedy });
    await store.prepare();
    await work(new WorkflowControl({ store, sagas: outlines(project), clock: systemClock, changed: () => undefined }));
    return 0;
  } catch (error) {
    return complain(error instanceof Error ? error.message : String(error));
  } finally {
    process.off('SIGINT', stop);
    await withinTime(commandCloseTime, () => connector.close()).catch(() => undefined);
  }
}

function outlines(project: Project): ReadonlyMap<string, SagaOutline> {
  return new Map(
    sagasOf(project).map(({ name, values }) => [
      name,
      { steps: values.step.map((step) => ({ name: step.label, await: step.await })) },
    ]),
  );
}
