import type { Studio } from '../shell/studio.ts';
import { contributeCaches } from './caches/index.ts';
import { contributeMetrics } from './metrics/index.ts';
import type { Operation } from './operations.ts';
import { contributeSchedules } from './schedules/index.ts';
import { operationsSide } from './side-view.tsx';
import { contributeWorkflows } from './workflows/index.ts';

/** What a running service holds and does by itself, a tab for each kind. */
export function contributeOperations(studio: Studio): void {
  const { contributions, commands, layout } = studio;
  // In the order of their rows. Each contributes its tab and its commands, and gives what its row says.
  const operations: Operation[] = [
    contributeWorkflows(studio),
    contributeSchedules(studio),
    contributeCaches(studio),
    contributeMetrics(studio),
  ];
  contributions.addSideView({
    id: 'operations',
    title: 'Operations',
    icon: 'pulse',
    order: 48,
    view: operationsSide(operations),
  });
  commands.add({ id: 'operations.show', title: 'View: Operations', run: () => layout.showSide('operations') });
}
