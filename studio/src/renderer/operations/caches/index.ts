import { debugOf } from '../../debug/session/session.ts';
import { tabOf } from '../../shell/layout.ts';
import type { Studio } from '../../shell/studio.ts';
import { lookOfKind } from '../../theme/connector-kind.ts';
import { changesOf } from '../changes.ts';
import type { Operation } from '../operations.ts';
import { Caches } from './caches.ts';
import { cachesPage } from './page.tsx';

/** Answers that flows of the attached service keep. */
export function contributeCaches(studio: Studio): Operation {
  const { contributions, commands, layout } = studio;
  const caches = new Caches(debugOf(studio), changesOf(studio));
  const { name: icon } = lookOfKind('cache');
  contributions.addEditorKind({
    kind: 'caches',
    view: cachesPage(caches),
    title: () => 'Caches',
    icon: () => ({ name: icon, className: 'ink k-cache' }),
  });
  commands.add({ id: 'caches.show', title: 'View: Caches', run: () => layout.open(tabOf('caches', '')) });
  return { id: 'caches', title: 'Caches', icon, summary: caches.summary, watch: caches.list.watch };
}
