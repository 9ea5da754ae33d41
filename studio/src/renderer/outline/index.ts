import type { Studio } from '../shell/studio.ts';
import { OutlineSection } from './view.tsx';

/** The outline of the file at hand, below the explorer. */
export function contributeOutline({ contributions }: Studio): void {
  contributions.addSideSection({ id: 'outline', side: 'explorer', order: 10, view: OutlineSection });
}
