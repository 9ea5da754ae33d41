import { contributeCanvas } from './canvas/index.ts';
import { contributeDebug } from './debug/index.ts';
import { contributeEditor } from './editor/index.ts';
import { contributeExplorer } from './explorer/index.ts';
import { contributeGit } from './git/index.ts';
import { contributeHelp } from './help/index.ts';
import { contributeOperations } from './operations/index.ts';
import { contributeOutbox } from './outbox/index.ts';
import { contributeOutline } from './outline/index.ts';
import { contributeOverview } from './overview/index.ts';
import { contributePalette } from './palette/index.ts';
import { contributePlugins } from './plugins/index.ts';
import { contributeProblems } from './problems/index.tsx';
import { contributeQueues } from './queues/index.tsx';
import { contributeRequests } from './requests/index.ts';
import { contributeRun } from './run/index.ts';
import { contributeSearch } from './search/index.ts';
import { contributeSettings } from './settings/index.ts';
import { contributeShell } from './shell/index.ts';
import type { Studio } from './shell/studio.ts';
import { contributeTests } from './tests/index.ts';
import { contributeWelcome } from './welcome/index.ts';

/** Every feature of the window: a folder that contributes views and commands. The order is of no importance. */
export const features: readonly ((studio: Studio) => void)[] = [
  contributeDebug,
  contributeCanvas,
  contributeEditor,
  contributeExplorer,
  contributeGit,
  contributeHelp,
  contributeOperations,
  contributeOutbox,
  contributeOutline,
  contributeOverview,
  contributePalette,
  contributePlugins,
  contributeProblems,
  contributeQueues,
  contributeRequests,
  contributeRun,
  contributeSearch,
  contributeSettings,
  contributeShell,
  contributeTests,
  contributeWelcome,
];
