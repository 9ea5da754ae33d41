import { count } from './count.ts';
import { type EditorsState, fileOf } from './layout.ts';
import type { Studio } from './studio.ts';

/**
 * Joins tabs and documents: a tab with unsaved text asks before it closes, a document whose last tab closed is
 * forgotten, and the tabs of a document that is gone (deleted on disk) close.
 */
export function joinTabsAndDocuments({ layout, project, notices, bridge }: Studio): void {
  const discarded = new Set<string>();
  layout.mayClose = async (address) => {
    const path = fileOf(address);
    if (path === undefined || !project.dirty.value.has(path) || isShownElsewhere(layout.editors.value, address))
      return true;
    const answer = await notices.ask(
      `Save the changes of ${path}?`,
      ['Save', 'Discard changes', 'Keep it open'],
      'They are lost when you do not save them.',
    );
    if (answer === 'Save') await project.save(path);
    if (answer === 'Discard changes') discarded.add(path);
    return answer === 'Discard changes' || (answer === 'Save' && !project.dirty.value.has(path));
  };
  let shown = pathsOf(layout.editors.value);
  layout.editors.subscribe(() => {
    const now = pathsOf(layout.editors.value);
    const closed = [...shown].filter((path) => !now.has(path));
    shown = now;
    // Views still hold the text during this call; it goes when they are gone.
    setTimeout(() => {
      for (const path of closed) {
        const isLost = discarded.delete(path);
        const isKept = project.dirty.value.has(path) || project.isJoint(path);
        if (!shown.has(path) && (isLost || !isKept)) project.close(path);
      }
    });
  });
  let open = new Set(project.documents.value.keys());
  project.documents.subscribe(() => {
    const now = new Set(project.documents.value.keys());
    const gone = [...open].filter((path) => !now.has(path));
    open = now;
    const isGone = (path: string) => gone.includes(path) && !now.has(path);
    layout.drop((address) => isGone(fileOf(address) ?? ''));
  });
  if (bridge.host === 'browser')
    window.addEventListener('beforeunload', (event) => {
      if (project.dirty.value.size > 0) event.preventDefault();
    });
}

/** Asks about unsaved text before the folder is left. False: stay. Discarded text is gone then. */
export async function mayLeave({ project, notices }: Pick<Studio, 'project' | 'notices'>): Promise<boolean> {
  const { size } = project.dirty.value;
  if (size === 0) return true;
  const save = `Save ${count(size, 'file')}`;
  const discard = 'Discard changes';
  const text = `Save the changes of ${count(size, 'file')} before this folder is closed?`;
  const answer = await notices.ask(
    text,
    [save, discard, 'Stay here'],
    [...project.dirty.value].slice(0, 10).join(', '),
  );
  if (answer === save) await project.saveAll();
  if (answer === discard) for (const path of [...project.dirty.value]) project.close(path);
  return answer !== undefined && project.dirty.value.size === 0;
}

function pathsOf({ groups }: EditorsState): ReadonlySet<string> {
  const files = groups.flatMap(({ tabs }) => tabs).map(fileOf);
  return new Set(files.filter((path) => path !== undefined));
}

/** The same file in a tab of another kind keeps its unsaved text. */
function isShownElsewhere({ groups }: EditorsState, address: string): boolean {
  const path = fileOf(address);
  return groups.some(({ tabs }) => tabs.some((tab) => tab !== address && fileOf(tab) === path));
}
