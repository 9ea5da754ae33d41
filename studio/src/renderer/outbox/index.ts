import { debugOf } from '../debug/session/session.ts';
import { tabOf } from '../shell/layout.ts';
import type { Studio } from '../shell/studio.ts';
import { Store } from '../state/store.ts';
import { iconOf, titleOf } from './look.ts';
import { Outbox } from './outbox.ts';
import { OutboxPage } from './page.tsx';
import { PreviewView } from './preview-view.tsx';
import { outboxSide } from './side-view.tsx';

/** Notifications that the attached service keeps instead of sending them. */
export function contributeOutbox(studio: Studio): void {
  const { contributions, commands, layout } = studio;
  const outbox = new Outbox(debugOf(studio));
  const badge = new Store<{ readonly count: number } | undefined>(undefined);
  outbox.state.subscribe(() => {
    const { length: count } = outbox.state.value.entries;
    if (count !== (badge.value?.count ?? 0)) badge.set(count === 0 ? undefined : { count });
  });
  contributions.addSideView({
    id: 'outbox',
    title: 'Outbox',
    icon: 'mail',
    order: 45,
    view: outboxSide(outbox),
    badge,
  });
  contributions.addAuxiliaryView({
    id: 'preview',
    title: 'Would be sent',
    order: 25,
    view: PreviewView,
    staysWhilePaused: true,
  });
  const entryOf = (name: string) => outbox.state.value.entries.find((entry) => entry.name === name);
  contributions.addEditorKind({
    kind: 'outbox',
    view: OutboxPage,
    title: (name) => {
      const entry = entryOf(name);
      return entry === undefined ? 'Message' : titleOf(entry).slice(0, 40);
    },
    icon: (name) => ({ name: iconOf(entryOf(name) ?? { medium: 'mail' }), className: 'ink k-queue' }),
    iconFollows: outbox.state,
  });
  commands.add(
    { id: 'outbox.show', title: 'View: Outbox', run: () => layout.showSide('outbox') },
    {
      id: 'outbox.newest',
      title: 'Outbox: Open the Newest Message',
      enabled: () => outbox.state.value.entries.length > 0,
      run: () => layout.open(tabOf('outbox', outbox.state.value.entries[0]?.name ?? '')),
    },
  );
}
