import { debugOf } from '../../debug/session/session.ts';
import { tabOf } from '../../shell/layout.ts';
import type { Studio } from '../../shell/studio.ts';
import type { Operation } from '../operations.ts';
import { Metrics } from './metrics.ts';
import { metricsPage } from './page.tsx';

/** What flows of the attached service do, in numbers. */
export function contributeMetrics(studio: Studio): Operation {
  const { contributions, commands, layout } = studio;
  const metrics = new Metrics(debugOf(studio));
  contributions.addEditorKind({
    kind: 'metrics',
    view: metricsPage(metrics),
    title: () => 'Metrics',
    icon: () => ({ name: 'pulse', className: 'ink accent' }),
  });
  commands.add({ id: 'metrics.show', title: 'View: Metrics', run: () => layout.open(tabOf('metrics', '')) });
  return { id: 'metrics', title: 'Metrics', icon: 'pulse', summary: metrics.summary, watch: metrics.entry.watch };
}
