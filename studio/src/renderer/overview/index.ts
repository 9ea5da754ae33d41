import { tabOf } from '../shell/layout.ts';
import type { Studio } from '../shell/studio.ts';
import { OverviewStrip } from './strip.tsx';

/** What a project shows when it is opened and nothing of it was open: its map, and how it is. */
export function contributeOverview({ contributions }: Studio): void {
  contributions.firstTab.set(tabOf('canvas', ''));
  contributions.addStrip({ id: 'overview', view: OverviewStrip });
}
