import type { ScheduleEntry } from '@svc/protocol/wire';
import type { DebugSession } from '../../debug/session/session.ts';
import { Store } from '../../state/store.ts';
import { LiveAnswer } from '../live-answer.ts';
import { fromNow } from '../moments.ts';

/** Schedules of the attached service. */
export class Schedules {
  readonly list: LiveAnswer<readonly ScheduleEntry[]>;
  /** `next in 3 min`. */
  readonly summary = new Store<string | undefined>(undefined);

  constructor(debug: Pick<DebugSession, 'call' | 'model' | 'isAttached'>) {
    this.list = new LiveAnswer(debug, 'schedules', async () => (await debug.call('inspect.schedules', {})).schedules);
    this.list.state.subscribe(() => {
      const { value } = this.list.state.value;
      this.summary.set(value && summaryOf(value, Date.now()));
    });
  }
}

/** What runs, and when the next one does. */
export function summaryOf(schedules: readonly ScheduleEntry[], now: number): string {
  if (schedules.length === 0) return 'no flow has one';
  const running = schedules.reduce((sum, each) => sum + each.running, 0);
  const times = schedules.flatMap(({ next: [first] }) => (first === undefined ? [] : [Date.parse(first)]));
  const said = [
    ...(running > 0 ? [`${running} ${running === 1 ? 'runs' : 'run'}`] : []),
    ...(times.length > 0 ? [`next ${fromNow(Math.min(...times), now)}`] : []),
  ];
  return said.join(', ') || 'none to come';
}

/** The time on the clocks of the zone of a schedule, when that is not the time here. */
export function zoneTime(at: string, zone: string | null): string | undefined {
  if (zone === null) return undefined;
  const [date = '', time = ''] = at.split('T');
  const instant = new Date(at);
  const two = (number: number) => String(number).padStart(2, '0');
  const here = `${instant.getFullYear()}-${two(instant.getMonth() + 1)}-${two(instant.getDate())}T${two(instant.getHours())}:${two(instant.getMinutes())}`;
  return at.startsWith(here) ? undefined : `${date} ${time.slice(0, 5)} in ${zone}`;
}
