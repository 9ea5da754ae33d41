import { useStore } from '../../state/use-store.ts';
import type { AuxiliaryView } from '../contributions.ts';
import { partsOf } from '../layout.ts';
import { useStudio } from '../studio.ts';
import { ActivityBar } from './activity-bar.tsx';
import { EditorArea } from './editor-area.tsx';
import { NoticeList, QuestionDialog } from './notice-list.tsx';
import { Panel } from './panel.tsx';
import { Sash } from './sash.tsx';
import { StatusBar } from './status-bar.tsx';
import { TitleBar } from './title-bar.tsx';
import { useNarrow } from './use-narrow.ts';
import { ViewBoundary } from './view-boundary.tsx';

/** The whole window: title, activity bar, islands, status bar, and what is above them. */
export function Window() {
  const { layout, contributions, announcement } = useStudio();
  const shown = useStore(layout.state);
  const side = useStore(contributions.sideViews).find(({ id }) => id === shown.sideView);
  const sections = useStore(contributions.sideSections).filter(({ side: of }) => of === shown.sideView);
  const kind = useStore(layout.editors, ({ groups, focused }) => partsOf(groups[focused]?.active ?? ':').kind);
  const isTaken = useStore(contributions.isAuxiliaryTaken);
  const isPaused = useStore(contributions.isPaused);
  const auxiliary = auxiliaryFor(useStore(contributions.auxiliaryViews), isTaken ? '' : kind, isPaused);
  const isAuxiliaryOpen = shown.isAuxiliaryOpen && auxiliary.length > 0;
  const overlays = useStore(contributions.overlays);
  const strips = useStore(contributions.strips);
  const said = useStore(announcement);
  // With less room for the text, both side bars share one column.
  const isStacked = useNarrow(1000) && shown.isSideOpen && isAuxiliaryOpen;
  const columns = [
    shown.isSideOpen && `min(${shown.sideWidth}px, max(33vw, 200px)) var(--gap)`,
    'minmax(0, 1fr)',
    isAuxiliaryOpen && !isStacked && `var(--gap) min(${shown.auxiliaryWidth}px, 33vw)`,
  ];
  return (
    <div className="application">
      <TitleBar />
      <ActivityBar />
      <main
        className={isStacked ? 'work stacked' : 'work'}
        style={{ gridTemplateColumns: columns.filter(Boolean).join(' ') }}
      >
        {shown.isSideOpen && (
          <>
            <aside className="island" aria-label={side?.title ?? 'Side bar'}>
              {side && (
                <ViewBoundary key={side.id}>
                  <side.view />
                </ViewBoundary>
              )}
              {sections.map(({ id, view: View }) => (
                <ViewBoundary key={id}>
                  <View />
                </ViewBoundary>
              ))}
            </aside>
            <Sash
              label="Width of the side bar"
              axis="x"
              value={shown.sideWidth}
              least={160}
              most={640}
              sign={1}
              onChange={(sideWidth) => layout.state.patch({ sideWidth })}
            />
          </>
        )}
        <div className="column">
          {strips.map(({ id, view: View }) => (
            <ViewBoundary key={id}>
              <View />
            </ViewBoundary>
          ))}
          <EditorArea />
          {shown.isPanelOpen && <Panel />}
        </div>
        {isAuxiliaryOpen && (
          <>
            <Sash
              label="Width of the secondary side bar"
              axis="x"
              value={shown.auxiliaryWidth}
              least={240}
              most={640}
              sign={-1}
              onChange={(auxiliaryWidth) => layout.state.patch({ auxiliaryWidth })}
            />
            <aside className="island" aria-label="Secondary side bar">
              {auxiliary.map(({ id, view: View }) => (
                <ViewBoundary key={id}>
                  <View />
                </ViewBoundary>
              ))}
            </aside>
          </>
        )}
      </main>
      <StatusBar />
      <output className="visually-hidden" aria-live="polite">
        {said}
      </output>
      {overlays.map(({ id, view: View }) => (
        <View key={id} />
      ))}
      <NoticeList />
      <QuestionDialog />
    </div>
  );
}

/** The views beside a kind of tab, with what stays while something is paused; those of no kind where it has no own. */
function auxiliaryFor(all: readonly AuxiliaryView[], kind: string, isPaused: boolean): readonly AuxiliaryView[] {
  const own = all.filter(({ beside }) => beside === kind);
  if (own.length === 0) return all.filter(({ beside }) => beside === undefined);
  return [...own, ...all.filter(({ staysWhilePaused }) => isPaused && staysWhilePaused)];
}
