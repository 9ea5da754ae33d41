import { debugOf } from '../debug/session/session.ts';
import type { Studio } from '../shell/studio.ts';
import { Store } from '../state/store.ts';
import { declarationsOf } from './declarations.ts';
import { Plugins } from './plugins.ts';
import { pluginsSide } from './side-view.tsx';

/** Plugins that the project declares, and what their modules do in the attached service. */
export function contributePlugins(studio: Studio): void {
  const { contributions, commands, layout } = studio;
  const plugins = new Plugins(debugOf(studio));
  const { all } = declarationsOf(studio);
  const badge = new Store<{ readonly count: number } | undefined>(undefined);
  all.subscribe(() => {
    const count = all.value.filter(({ kind }) => kind === 'plugin').length;
    if (count !== (badge.value?.count ?? 0)) badge.set(count === 0 ? undefined : { count });
  });
  contributions.addSideView({
    id: 'plugins',
    title: 'Plugins',
    icon: 'plug',
    order: 47,
    view: pluginsSide(plugins),
    badge,
  });
  commands.add({ id: 'plugins.show', title: 'View: Plugins', run: () => layout.showSide('plugins') });
}
