import { editorsOf } from '../editor/editors.ts';
import type { Studio } from '../shell/studio.ts';
import { Finding } from './finding.ts';
import { searchView } from './view.tsx';

/** Find in files. */
export function contributeSearch(studio: Studio): void {
  const { contributions, commands, layout, project, bridge } = studio;
  const editors = editorsOf(studio);
  const finding = new Finding(bridge, project);
  project.info.subscribe(() => finding.clear());
  contributions.addSideView({ id: 'search', title: 'Search', icon: 'search', order: 20, view: searchView(finding) });
  commands.add({
    id: 'search.show',
    title: 'Search: Find in Files',
    keys: 'mod+shift+f',
    enabled: () => project.info.value !== undefined,
    run: () => {
      const open = editors.active.value;
      const selection = open?.editor.hasTextFocus() ? open.editor.getSelection() : null;
      const selected = selection && open ? open.document.model.getValueInRange(selection) : '';
      if (selected !== '' && !selected.includes('\n')) finding.options.patch({ text: selected });
      layout.showSide('search');
      requestAnimationFrame(() => {
        const input = document.querySelector<HTMLInputElement>('#search-text');
        input?.focus();
        input?.select();
      });
    },
  });
}
