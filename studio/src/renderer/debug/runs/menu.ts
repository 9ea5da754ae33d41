import type { MenuItem } from '../../shell/menus.ts';
import type { Studio } from '../../shell/studio.ts';
import type { Thread } from '../session/thread.ts';
import { runActionsOf } from './actions.ts';

/** Offers what can be done with a run; what cannot says why. */
export function showRunMenu(studio: Studio, thread: Thread, x: number, y: number): void {
  const { menus, notices } = studio;
  const items = runActionsOf(studio).value.map(({ title, icon, refused, run }): MenuItem => {
    return {
      title,
      icon,
      refused: refused(thread),
      run: () => void run(thread).catch((error: unknown) => notices.failed(error)),
    };
  });
  menus.show({ label: `Run ${thread.flow} #${thread.number}`, x, y, items });
}
