import { Store } from '../../state/store.ts';
import { useStore } from '../../state/use-store.ts';
import type { PanelView } from '../contributions.ts';
import { useStudio } from '../studio.ts';
import { Sash } from './sash.tsx';
import { moveInTabs } from './tab-keys.ts';
import { useSelectedInView } from './use-in-view.ts';
import { useNarrow } from './use-narrow.ts';
import { ViewBoundary } from './view-boundary.tsx';

/** The views below the editor: two groups of tabs side by side, one where there is no room for two. */
export function Panel() {
  const { layout, contributions } = useStudio();
  const shown = useStore(layout.state);
  const hidden = useStore(contributions.hiddenPanels);
  const panels = useStore(contributions.panels).filter(({ id }) => !hidden.has(id));
  const isNarrow = useNarrow(1360);
  const left = isNarrow ? panels : panels.filter(({ place }) => place === 'left');
  const right = isNarrow ? [] : panels.filter(({ place }) => place === 'right');
  return (
    <>
      <Sash
        label="Height of the panel"
        axis="y"
        value={shown.panelHeight}
        least={96}
        most={640}
        sign={-1}
        onChange={(panelHeight) => layout.state.patch({ panelHeight })}
      />
      <div className="panel-area" style={{ height: `min(${shown.panelHeight}px, 40vh)` }}>
        <PanelGroup views={left} open={shown.panelLeft} onOpen={(panelLeft) => layout.state.patch({ panelLeft })} />
        {right.length > 0 && (
          <PanelGroup
            views={right}
            open={shown.panelRight}
            onOpen={(panelRight) => layout.state.patch({ panelRight })}
          />
        )}
      </div>
    </>
  );
}

interface PanelGroupProps {
  readonly views: readonly PanelView[];
  readonly open: string;
  readonly onOpen: (id: string) => void;
}

function PanelGroup({ views, open, onOpen }: PanelGroupProps) {
  const active = views.find(({ id }) => id === open) ?? views[0];
  const list = useSelectedInView(active);
  if (active === undefined) return null;
  const { view: View, tools: Tools } = active;
  return (
    <section className="island grow" aria-label={active.title}>
      <div className="panel-tabs">
        <div ref={list} className="panel-tab-list" role="tablist" aria-label="Panel" onKeyDown={moveInTabs}>
          {views.map((view) => (
            <PanelTab key={view.id} view={view} isOpen={view === active} onOpen={() => onOpen(view.id)} />
          ))}
        </div>
        <span className="grow" />
        {Tools && <Tools />}
      </div>
      <ViewBoundary key={active.id}>
        <View />
      </ViewBoundary>
    </section>
  );
}

const none = new Store(0);

function PanelTab({ view, isOpen, onOpen }: { view: PanelView; isOpen: boolean; onOpen: () => void }) {
  const count = useStore(view.count ?? none);
  return (
    <button
      type="button"
      role="tab"
      aria-selected={isOpen}
      tabIndex={isOpen ? 0 : -1}
      className={isOpen ? 'panel-tab on' : 'panel-tab'}
      onClick={onOpen}
    >
      {view.title}
      {count > 0 && <span className="count">{count}</span>}
    </button>
  );
}
