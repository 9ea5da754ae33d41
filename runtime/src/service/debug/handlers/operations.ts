import {
  type Handlers,
  type WorkflowDetail,
  type WorkflowStatus,
  wireError,
  workflowStatuses,
} from '@svc/protocol/wire';
import type { KeptWorkflow, PlanWorkflows } from '../../../foundation/contracts/operations.ts';
import { asFailure } from '../../../foundation/errors/classify.ts';
import { Failure } from '../../../foundation/errors/failure.ts';
import { RunSecrecy } from '../values/run-secrecy.ts';
import { askedLimits, type Secrecy } from '../values/snapshot.ts';
import { type Caller, serviceOf, unlockedSession } from './caller.ts';

type Names =
  | 'inspect.workflows'
  | 'inspect.workflow'
  | 'inspect.schedules'
  | 'debug.signalWorkflow'
  | 'debug.cancelWorkflow'
  | 'debug.runSchedule';

/** Workflows of one answer: when the client does not say, and at most. */
const listed = { usual: 50, most: 200 };
/** Milliseconds for which the store is asked. */
const askedFor = 3_000;
/** Questions that a store may not have answered yet, given up or not: further ones are refused. */
const mostOpen = 8;

/** Answers for what a service keeps and does by itself; what changes it needs an unlocked session. */
export const operationHandlers: Pick<Handlers<Caller>, Names> = {
  'inspect.workflows': async (caller, { flow, status, limit = listed.usual, before }) => {
    if (status !== undefined && !isStatus(status))
      throw wireError('invalidParams', `"status" is one of ${workflowStatuses.join(', ')}`);
    if (limit < 1 || limit > listed.most)
      throw wireError('invalidParams', `"limit" is a number from 1 to ${listed.most}`);
    if (before !== undefined && !/^\d{1,15}\.[^\0]+$/.test(before))
      throw wireError('invalidParams', '"before" is what "next" was in the answer before');
    const { workflows } = serviceOf(caller);
    if (workflows === undefined) return { storage: null, flows: [], counts: [], workflows: [], next: null };
    const asked = { flow: flow?.replaceAll('\0', ''), status, limit, before };
    const [page, counts] = await answered(workflows, () => Promise.all([workflows.list(asked), workflows.counts()]));
    return { storage: workflows.storage, flows: workflows.flows(), counts, ...page };
  },
  'inspect.workflow': async (caller, { id }) => {
    const workflows = keptBy(caller);
    return shownWorkflow(await answered(workflows, () => workflows.read(id)), caller.hub.secrecy);
  },
  'debug.signalWorkflow': async (caller, { id, signal, payload }) => {
    unlockedSession(caller);
    const workflows = keptBy(caller);
    if (signal.includes('\0')) throw wireError('invalidParams', '"signal" holds a character that no name has');
    return answered(workflows, () => workflows.signal(id, signal, payload));
  },
  'debug.cancelWorkflow': async (caller, { id }) => {
    unlockedSession(caller);
    const workflows = keptBy(caller);
    return answered(workflows, () => workflows.cancel(id));
  },
  'inspect.schedules': (caller) => ({ schedules: serviceOf(caller).timer?.list() ?? [] }),
  'debug.runSchedule': (caller, { flow }) => {
    unlockedSession(caller);
    const state = serviceOf(caller).timer?.run(flow) ?? { refused: `no schedule runs flow "${flow}"` };
    if (typeof state === 'object') throw wireError('invalidParams', state.refused);
    return { ok: true, state };
  },
};

function isStatus(text: string): text is WorkflowStatus {
  return (workflowStatuses as readonly string[]).includes(text);
}

function keptBy(caller: Caller): PlanWorkflows {
  const { workflows } = serviceOf(caller);
  if (workflows !== undefined) return workflows;
  throw wireError('invalidParams', 'the service keeps no workflows: its service block has no workflow block');
}

/** Questions that stores have not answered. */
const open = new WeakMap<PlanWorkflows, number>();

/** Asks a store within its time; one that is slow is not asked more and more. Failures become errors of the protocol. */
async function answered<T>(store: PlanWorkflows, ask: () => Promise<T>): Promise<T> {
  const waiting = open.get(store) ?? 0;
  if (waiting >= mostOpen)
    throw wireError('internalError', `the store of workflows has not answered ${waiting} questions yet`);
  open.set(store, waiting + 1);
  const answer = ask().finally(() => open.set(store, (open.get(store) ?? 1) - 1));
  const { promise: late, reject } = Promise.withResolvers<never>();
  const limit = setTimeout(
    () => reject(new Failure('store_unavailable', `the store of workflows did not answer within ${askedFor / 1000} s`)),
    askedFor,
  );
  try {
    return await Promise.race([answer, late]);
  } catch (error) {
    const { code, message } = asFailure(error);
    throw wireError(refusals.has(code) ? 'invalidParams' : 'internalError', message);
  } finally {
    clearTimeout(limit);
  }
}

/** Codes of failures that are about what was asked. */
const refusals: ReadonlySet<string> = new Set(['not_found', 'workflow_conflict', 'value_refused', 'body_undecodable']);

/** What is hidden in flows is hidden here too, in failures as well. */
function shownWorkflow({ workflow, auth, hidden }: KeptWorkflow, secrecy: Secrecy): WorkflowDetail {
  const run = new RunSecrecy(secrecy);
  const { input, results, signal } = workflow;
  run.begin({ input: { input, signal }, auth, step: results, message: { hidden } });
  const show = run.shower(askedLimits);
  const text = (each: string | null) => (each === null ? null : (show(each) as string));
  return {
    ...workflow,
    steps: workflow.steps.map((step) => ({ ...step, error: text(step.error) })),
    error: text(workflow.error),
    compensationErrors: workflow.compensationErrors.map((each) => show(each) as string),
    input: show(input),
    results: show(results),
    signal: show(signal),
  };
}
