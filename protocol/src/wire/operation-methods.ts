import { method } from './method.ts';
import type { SchedulesEntry, WorkflowDetail, WorkflowStatus, WorkflowsEntry } from './operation-shapes.ts';

const id = { kind: 'string', doc: 'Id of the workflow.' } as const;

/** Methods about what a running service keeps and does by itself. */
export const operationMethods = {
  'inspect.workflows': method<WorkflowsEntry>()({
    doc: 'Workflows that the service keeps, the newest first. A store that does not answer for three seconds is an error.',
    params: {
      flow: { kind: 'string?', doc: 'Those of this saga; absent: of all.' },
      status: { kind: 'string?', doc: 'Those with this status; absent: with any.' },
      limit: { kind: 'int?', doc: 'How many, 200 at most; absent: 50.' },
      before: { kind: 'string?', doc: '`next` of the answer before: those that are older.' },
    },
    result:
      '`storage` (the connector that keeps them; null where the service keeps none), `flows` (sagas that wait, each with `name` and the `events` that it waits for), `counts` (those in progress, each `flow`, `status`, `count`), `workflows`: each with `id`, `flow`, `status`, `step` (null when all are done), `startedAt`, `updatedAt`, `awaits` (event), `resumesAt` (end of a delay), `expiresAt`, `cancelRequested`; `next` (null when there are no more)',
  }),
  'inspect.workflow': method<WorkflowDetail>()({
    doc: 'One workflow, whole. Values are hidden as in flows that are debugged.',
    params: { id },
    result:
      'an entry as `inspect.workflows` has it, with `steps` (each `name`, `status`, `awaits`, `delayMs`, `compensates`, `at`, `tries`, `error`), `history` (each `at`, `kind`, `step`, `tries`), `error`, `compensationErrors`, `events` (those that can be signalled now), `input`, `results` (by step), `signal`',
  }),
  'debug.signalWorkflow': method<{ readonly status: WorkflowStatus; readonly message: string }>()({
    doc: 'Signals an event to a workflow, as the HTTP interface does: it continues when it waits for the event, else the signal is kept until it does. Refused without `debug.unlock`.',
    params: {
      id,
      signal: { kind: 'string', doc: 'Name of the event.' },
      payload: { kind: 'any?', doc: 'A JSON object, which steps read as `input.signal`; absent: an empty one.' },
    },
    result: '`status` of the workflow, `message`',
  }),
  'debug.cancelWorkflow': method<{ readonly status: WorkflowStatus; readonly message: string }>()({
    doc: 'Requests the cancellation of a workflow: its completed steps are undone. Refused without `debug.unlock`.',
    params: { id },
    result: '`status`, `message`',
  }),
  'inspect.schedules': method<SchedulesEntry>()({
    doc: 'Flows that run by the clock. Of several processes, runs under way are those of all of them, and the last run is the latest.',
    params: {},
    result:
      '`schedules`: each with `flow`, `expression`, `timezone` (null for intervals), `overlap`, `storage` (the connector in which ticks are claimed, or null), `next` (five times with the offset of the zone), `running`, `waiting` (ticks), `last` (`at`, `outcome`: `succeeded`, `failed`, `skipped` or `elsewhere`, `durationMs`; null before the first one)',
  }),
  'debug.runSchedule': method<{ readonly ok: true; readonly state: 'begun' | 'queued' }>()({
    doc: 'Runs a scheduled flow once now, in one process, as its schedule would: its tick is claimed and counted, and `overlap` holds. Answers when the run has begun; `inspect.schedules` tells how it ended. Refused without `debug.unlock`.',
    params: { flow: { kind: 'string', doc: 'Name of the flow.' } },
    result: '`ok`, `state`: `begun`, or `queued` behind the one before',
  }),
} as const;
