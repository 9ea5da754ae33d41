import type { Studio } from '../shell/studio.ts';
import { Store } from '../state/store.ts';
import { keysDialog } from './keys-dialog.tsx';

/** Keyboard shortcuts. */
export function contributeHelp({ commands, contributions }: Studio): void {
  const isOpen = new Store(false);
  contributions.addOverlay({ id: 'keys', view: keysDialog(isOpen) });
  commands.add({
    id: 'help.keys',
    title: 'Help: Keyboard Shortcuts',
    keys: 'mod+shift+/',
    run: () => isOpen.set(true),
  });
}
