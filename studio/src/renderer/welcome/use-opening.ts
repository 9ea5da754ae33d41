import { type Studio, useStudio } from '../shell/studio.ts';
import type { ProjectOpening } from './opening.ts';

/** The one of each window, put here by `contributeWelcome`. */
export const openings = new WeakMap<Studio, ProjectOpening>();

export function useOpening(): ProjectOpening {
  return openings.get(useStudio()) as ProjectOpening;
}
