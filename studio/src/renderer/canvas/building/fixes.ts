import { actionsFor, applyAction } from '../../editor/code-action.ts';
import type { MenuItem } from '../../shell/menus.ts';
import type { Studio } from '../../shell/studio.ts';
import type { OutlinePlace } from '../graph/places.ts';

/** Actions that a menu of one place offers at most; the list of problems has all. */
const mostFixes = 8;
/** Problems of one place that are looked at. */
const mostProblems = 20;

/** What can be done about the problems of a place, the worst first. */
export async function fixesAt(studio: Studio, { file, start, end }: OutlinePlace): Promise<readonly MenuItem[]> {
  const problems = studio.language.checked.value.diagnostics.filter(
    (one) => one.file === file && one.range.start >= start && one.range.end <= end,
  );
  const found = await Promise.all(problems.slice(0, mostProblems).map((problem) => actionsFor(studio, problem)));
  return found
    .flat()
    .slice(0, mostFixes)
    .map((action) => ({
      title: action.title,
      icon: 'bulb' as const,
      run: () => void applyAction(studio, action).catch((error: unknown) => studio.notices.failed(error)),
    }));
}
