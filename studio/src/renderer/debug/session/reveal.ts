import type { Studio } from '../../shell/studio.ts';

/** Shows a place of a text without taking the focus away. */
export function reveal(studio: Studio, path: string, start: number): void {
  studio.focus.set({ path, start, end: start, by: 'debug' });
}
