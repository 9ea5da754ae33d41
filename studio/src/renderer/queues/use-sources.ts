import { useEffect } from 'react';
import type { Queues } from './queues.ts';

/** Keeps the counts of the sources up to date while the view is on the screen. */
export function useFreshSources(queues: Queues): void {
  useEffect(() => queues.watch(() => document.visibilityState === 'visible'), [queues]);
}
