import type { ConnectorDeclaration, Report } from '@svc/protocol/model';
import { isWritten, type Origin, originOf } from '@svc/protocol/schema';
import { closest } from '@svc/protocol/text';
import { titleOf } from '../../../connectors/core/declaration.ts';
import { dialectOf } from '../../../connectors/database/engines.ts';
import type { FlowDeclaration } from '../../../engine/flow/declarations.ts';
import type { FlowRule } from '../../../engine/flow/every-flow.ts';
import { verbOfFlow } from '../../../engine/flow/flow-verb.ts';
import { parseSchedule, type Schedule } from '../../../engine/schedule/cron.ts';
import { timetableOf } from '../../../engine/schedule/timetable.ts';
import { isZone } from '../../../engine/schedule/zone.ts';

/**
 * Schedules are ones that come, in zones that there are, and nothing beside them waits for a caller
 * (docs/specification/workflows.md#schedules).
 */
export const checkSchedules: FlowRule = (flow, connectors, report) => {
  const { name, values } = flow;
  const { from, when } = values;
  if (!when) return;
  if (!isWritten(when, 'schedule'))
    report('missing-attribute', `when of flow "${name}" needs the attribute schedule`, originOf(when), {
      help: 'Write schedule = "30 2 * * *", or another.',
    });
  const storage = connectors.get(when.storage ?? '');
  if (storage) checkStorage(storage, originOf(when, 'storage'), report);
  const zone = when.timezone;
  if (zone !== undefined && !isZone(zone)) {
    const near = closest(zone, Intl.supportedValuesOf('timeZone'));
    report('unknown-timezone', `there is no time zone "${zone}"`, originOf(when, 'timezone'), {
      help: near === undefined ? 'Write one such as "Europe/Madrid".' : `Did you mean "${near}"?`,
    });
  } else checkSchedule(flow, zone, report);
  if (!from) checkWithoutCaller(flow, report);
  if (!from) checkWriting(flow, connectors, report);
};

function checkSchedule({ name, values: { from, when } }: FlowDeclaration, zone: string | undefined, report: Report) {
  if (!when || when.schedule === undefined) return;
  const at = originOf(when, 'schedule');
  const schedule = parseSchedule(when.schedule);
  if ('problem' in schedule)
    return report('malformed-schedule', schedule.problem, at, {
      help: 'Write five fields (minute, hour, day of month, month, day of week), @daily, or @every 5m.',
    });
  if (schedule.kind === 'never' && !from)
    return report('never-triggered', `nothing triggers flow "${name}": it is not scheduled, and has no from`, at, {
      severity: 'warning',
      help: 'Write a schedule, or remove the flow.',
    });
  if (schedule.kind === 'every' && zone !== undefined)
    return report('inert-attribute', 'an interval is the same in every time zone', originOf(when, 'timezone'), {
      severity: 'warning',
      help: 'Remove timezone.',
    });
  checkPrefix(schedule, zone, at, report);
  const timetable = timetableOf(schedule, zone ?? 'UTC', true);
  if (timetable && timetable.next(0, 0) === undefined)
    report('malformed-schedule', 'no year has a day that this schedule names', at, {
      help: 'Change the day of month, or the month.',
    });
}

/** A zone in front of a schedule holds where nothing else says one, and there is a wall clock. */
function checkPrefix(schedule: Schedule, zone: string | undefined, at: Origin, report: Report): void {
  if (schedule.kind === 'never' || schedule.zone === undefined) return;
  const isInterval = schedule.kind === 'every';
  if (!isInterval && zone === undefined) return;
  const why = isInterval ? 'an interval is the same in every time zone' : `timezone says "${zone}"`;
  report('inert-attribute', `the time zone "${schedule.zone}" in front of the schedule has no effect: ${why}`, at, {
    severity: 'warning',
    help: isInterval ? 'Remove it.' : 'Keep one of them.',
  });
}

/** Claims hold only when every process sees them. */
function checkStorage(connector: ConnectorDeclaration, at: ReturnType<typeof originOf>, report: Report): void {
  const { spec, values } = connector;
  const inMemory = spec?.processLocal === true || dialectOf(spec)?.reach(values) === 'process';
  if (inMemory)
    report(
      'memory-storage',
      `${titleOf(connector)} is in the memory of one process, and no other sees its claims`,
      at,
      {
        help: 'Name a relational database or a cache that processes share, or remove storage: then every process runs every tick.',
      },
    );
  else if (spec?.storage !== true && dialectOf(spec) === undefined)
    report('not-a-storage', `${titleOf(connector)} cannot hold the claims of a schedule`, at, {
      help: 'Name a relational database, or a cache that processes share.',
    });
}

/** A run has no message, so that what is written must be built. */
function checkWriting(flow: FlowDeclaration, connectors: Parameters<FlowRule>[1], report: Report): void {
  const { name, values } = flow;
  const [to] = values.to;
  if (!to || values.transform !== undefined || values.step.length > 0 || isWritten(to, 'operation')) return;
  if (to.query !== undefined || to.transaction !== undefined || to.transform !== undefined) return;
  if (verbOfFlow(values, connectors) !== 'create') return;
  report('nothing-to-write', `flow "${name}" writes to ${titleOfTarget(to)}, and nothing builds what`, originOf(to), {
    severity: 'warning',
    help: 'Add a transform, or write operation = "SELECT" to read.',
  });
}

function titleOfTarget({ connector, target }: FlowDeclaration['values']['to'][number]): string {
  return target?.kind === 'constant' ? `"${String(target.value)}"` : `connector "${connector}"`;
}

/** No caller is signed in on a schedule, and none takes an answer. */
function checkWithoutCaller({ name, values }: FlowDeclaration, report: Report): void {
  for (const word of ['require', 'async'])
    if (isWritten(values, word))
      report(
        'without-caller',
        `only a schedule runs flow "${name}", and ${word} is about its caller`,
        originOf(values, word),
        { help: `Remove ${word}.` },
      );
  const handling = values.error_handling;
  if (handling?.error_response)
    report(
      'inert-block',
      'error_response has no effect here: no caller waits for an answer',
      originOf(handling, 'error_response'),
      { severity: 'warning', help: 'Remove it; failed runs are logged and counted.' },
    );
}

/** Whether a flow runs by a schedule that every process follows on its own. */
export function runsInEveryProcess({ values: { when } }: FlowDeclaration): boolean {
  if (when === undefined || when.storage !== undefined) return false;
  const schedule = parseSchedule(when.schedule ?? '');
  return !('problem' in schedule) && schedule.kind !== 'never';
}
