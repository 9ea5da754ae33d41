import { debugOf } from '../../debug/session/session.ts';
import { tabOf } from '../../shell/layout.ts';
import type { Studio } from '../../shell/studio.ts';
import type { Operation } from '../operations.ts';
import { workflowsPage } from './page.tsx';
import { Workflows } from './workflows.ts';

/** Workflows that the attached service keeps. */
export function contributeWorkflows(studio: Studio): Operation {
  const { contributions, commands, layout, project } = studio;
  const workflows = new Workflows(debugOf(studio));
  project.onFolder(() => {
    workflows.choose(undefined);
    workflows.filter({ flow: undefined, status: undefined });
  });
  contributions.addEditorKind({
    kind: 'workflows',
    view: workflowsPage(workflows),
    title: () => 'Workflows',
    icon: () => ({ name: 'flows', className: 'ink accent' }),
  });
  commands.add({ id: 'workflows.show', title: 'View: Workflows', run: () => layout.open(tabOf('workflows', '')) });
  return {
    id: 'workflows',
    title: 'Workflows',
    icon: 'flows',
    summary: workflows.summary,
    watch: workflows.watch,
  };
}
