import { joinTabsAndDocuments } from './closing.ts';
import { focusNextRegion, rememberFocus } from './islands.ts';
import type { Studio } from './studio.ts';
import { ConnectionBanner } from './window/connection-banner.tsx';
import { MenuOverlay } from './window/menu.tsx';
import { followTitle } from './window/window-title.ts';

/** What the window itself can do: tabs, side bars, panel and focus. */
export function contributeShell(studio: Studio): void {
  const { layout, commands, contributions } = studio;
  joinTabsAndDocuments(studio);
  followTitle(studio);
  rememberFocus();
  contributions.addOverlay({ id: 'menu', view: MenuOverlay });
  contributions.addOverlay({ id: 'connection', view: ConnectionBanner });
  const hasTab = () => layout.active !== undefined;
  const flip = (part: 'isSideOpen' | 'isPanelOpen' | 'isAuxiliaryOpen') =>
    layout.state.patch({ [part]: !layout.state.value[part] });
  commands.add(
    { id: 'view.sideBar', title: 'View: Side Bar', keys: 'mod+b', run: () => flip('isSideOpen') },
    { id: 'view.panel', title: 'View: Panel', keys: 'mod+j', run: () => flip('isPanelOpen') },
    {
      id: 'view.auxiliaryBar',
      title: 'View: Secondary Side Bar',
      keys: 'mod+alt+b',
      enabled: () => contributions.auxiliaryViews.value.length > 0,
      run: () => flip('isAuxiliaryOpen'),
    },
    {
      id: 'editor.close',
      title: 'Editor: Close',
      keys: 'mod+w',
      enabled: hasTab,
      run: () => layout.close(layout.active as string),
    },
    {
      id: 'editor.closeAll',
      title: 'Editor: Close All',
      enabled: hasTab,
      run: async () => {
        for (const { tabs } of layout.editors.value.groups.toReversed())
          for (const tab of tabs) await layout.close(tab, groupOf(studio, tab));
      },
    },
    { id: 'editor.reopen', title: 'Editor: Reopen Closed Editor', keys: 'mod+shift+t', run: () => layout.reopen() },
    { id: 'editor.next', title: 'Editor: Next', keys: 'mod+pagedown', enabled: hasTab, run: () => layout.step(1) },
    {
      id: 'editor.previous',
      title: 'Editor: Previous',
      keys: 'mod+pageup',
      enabled: hasTab,
      run: () => layout.step(-1),
    },
    { id: 'editor.split', title: 'Editor: Split', keys: 'mod+\\', enabled: hasTab, run: () => layout.split() },
    {
      id: 'editor.moveAcross',
      title: 'Editor: Move to the Other Side',
      enabled: () => layout.editors.value.groups.length === 2,
      run: () => {
        const { focused } = layout.editors.value;
        layout.move(layout.active as string, focused, 1 - focused, undefined);
      },
    },
    { id: 'view.nextPart', title: 'View: Focus the Next Part', keys: 'f6', run: () => focusNextRegion(1) },
    {
      id: 'view.previousPart',
      title: 'View: Focus the Previous Part',
      keys: 'shift+f6',
      run: () => focusNextRegion(-1),
    },
  );
}

function groupOf({ layout }: Studio, address: string): number {
  return layout.editors.value.groups.findIndex(({ tabs }) => tabs.includes(address));
}
