import { type DragEvent, Suspense } from 'react';
import { Store } from '../../state/store.ts';
import { useStore } from '../../state/use-store.ts';
import { Icon } from '../../theme/icon.tsx';
import { type EditorGroup, fileOf, type Layout, partsOf, type TabAddress } from '../layout.ts';
import { useStudio } from '../studio.ts';
import { NothingOpen } from './nothing-open.tsx';
import { moveInTabs } from './tab-keys.ts';
import { useSelectedInView } from './use-in-view.ts';
import { ViewBoundary } from './view-boundary.tsx';

/** One or two groups of tabs; each shows what its active tab is. */
export function EditorArea() {
  const { layout } = useStudio();
  const { groups } = useStore(layout.editors);
  return (
    <div className="editor-area">
      {groups.map((group, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: groups are known by their place
        <EditorGroupView key={index} group={group} index={index} />
      ))}
    </div>
  );
}

function EditorGroupView({ group, index }: { readonly group: EditorGroup; readonly index: number }) {
  const { layout, contributions } = useStudio();
  const kinds = useStore(contributions.editorKinds);
  const active = group.active === undefined ? undefined : partsOf(group.active);
  const View = active && kinds.get(active.kind)?.view;
  const list = useSelectedInView(group);
  return (
    <section
      className="island editor-group"
      aria-label={index === 0 ? 'Editor' : 'Second editor'}
      onFocusCapture={() => layout.focus(index)}
      onPointerDownCapture={() => layout.focus(index)}
    >
      <div className="tabs">
        <div
          ref={list}
          className="tab-list"
          role="tablist"
          aria-label="Open editors"
          onKeyDown={moveInTabs}
          onDragOver={(event) => event.dataTransfer.types.includes(draggedTab) && event.preventDefault()}
          onDrop={(event) => dropTab(layout, event, index)}
        >
          {group.tabs.map((address) => (
            <EditorTab key={address} address={address} group={index} isActive={address === group.active} />
          ))}
        </div>
        <EditorTools group={index} />
      </div>
      {View && active ? (
        <ViewBoundary key={group.active}>
          <Suspense fallback={<div className="grow" />}>
            <View address={group.active as string} path={active.path} />
          </Suspense>
        </ViewBoundary>
      ) : (
        <NothingOpen />
      )}
    </section>
  );
}

function EditorTools({ group }: { readonly group: number }) {
  const { contributions } = useStudio();
  const tools = useStore(contributions.editorTools);
  return (
    <span className="tools">
      {tools.map(({ id, view: View }) => (
        <View key={id} group={group} />
      ))}
    </span>
  );
}

interface EditorTabProps {
  readonly address: TabAddress;
  readonly group: number;
  readonly isActive: boolean;
}

function EditorTab({ address, group, isActive }: EditorTabProps) {
  const { layout, contributions, project } = useStudio();
  const { kind, path } = partsOf(address);
  const editorKind = useStore(contributions.editorKinds).get(kind);
  const isDirty = useStore(project.dirty, (dirty) => dirty.has(fileOf(address) ?? ''));
  useStore(editorKind?.iconFollows ?? settled);
  if (editorKind === undefined) return null;
  const title = editorKind.title(path);
  const { name, className } = editorKind.icon(path);
  const close = () => void layout.close(address, group);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: what is dragged by the mouse; `editor.moveAcross` does the same
    <span
      className={isActive ? 'tab on' : 'tab'}
      role="presentation"
      draggable
      data-address={address}
      onDragStart={({ dataTransfer }) => dataTransfer.setData(draggedTab, JSON.stringify({ address, group }))}
    >
      <button
        type="button"
        role="tab"
        aria-selected={isActive}
        tabIndex={isActive ? 0 : -1}
        title={path || title}
        className="tab-name"
        onClick={() => layout.open(address, group)}
        onAuxClick={(event) => event.button === 1 && close()}
        onKeyDown={(event) => event.key === 'Delete' && close()}
      >
        <Icon name={name} className={isActive && className === undefined ? 'accent ink' : className} />
        {title}
        {isDirty && <span className="visually-hidden">, not saved</span>}
      </button>
      <span className="close" aria-hidden title={isDirty ? 'Not saved; close' : 'Close'} onClick={close}>
        {isDirty && <span className="dirty" />}
        <Icon name="close" />
      </span>
    </span>
  );
}

/** For icons that depend on their path alone. */
const settled = new Store<unknown>(undefined);

const draggedTab = 'application/x-svc-tab';

/** A tab was dropped over the tabs of a group: it is there from now on, before the tab below the pointer. */
function dropTab(layout: Layout, event: DragEvent<HTMLElement>, to: number): void {
  const text = event.dataTransfer.getData(draggedTab);
  if (text === '') return;
  event.preventDefault();
  const { address, group } = JSON.parse(text) as { address: TabAddress; group: number };
  const over = (event.target as Element).closest('[data-address]')?.getAttribute('data-address') ?? undefined;
  if (layout.editors.value.groups[group]?.tabs.includes(address)) layout.move(address, group, to, over);
}
