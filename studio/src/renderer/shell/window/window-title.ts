import { partsOf } from '../layout.ts';
import type { Studio } from '../studio.ts';

/** Names the window after what is open in it; a dot says that something is not saved. */
export function followTitle({ project, layout, contributions }: Studio): void {
  const write = () => {
    const address = layout.active;
    const { kind, path } = partsOf(address ?? ':');
    const parts = [contributions.editorKinds.value.get(kind)?.title(path), project.info.value?.name, 'svc studio'];
    const mark = project.dirty.value.size > 0 ? '\u25cf ' : '';
    document.title = mark + parts.filter(Boolean).join(' - ');
  };
  for (const store of [project.info, project.dirty, layout.editors]) store.subscribe(write);
  write();
}
