import { debugOf } from '../../debug/session/session.ts';
import { tabOf } from '../../shell/layout.ts';
import type { Studio } from '../../shell/studio.ts';
import type { Operation } from '../operations.ts';
import { schedulesPage } from './page.tsx';
import { Schedules } from './schedules.ts';

/** Flows of the attached service that run by the clock. */
export function contributeSchedules(studio: Studio): Operation {
  const { contributions, commands, layout } = studio;
  const schedules = new Schedules(debugOf(studio));
  contributions.addEditorKind({
    kind: 'schedules',
    view: schedulesPage(schedules),
    title: () => 'Schedules',
    icon: () => ({ name: 'clock', className: 'ink accent' }),
  });
  commands.add({ id: 'schedules.show', title: 'View: Schedules', run: () => layout.open(tabOf('schedules', '')) });
  return {
    id: 'schedules',
    title: 'Schedules',
    icon: 'clock',
    summary: schedules.summary,
    watch: schedules.list.watch,
  };
}
