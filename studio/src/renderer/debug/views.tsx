import type { ComponentType } from 'react';
import { Store } from '../state/store.ts';
import { AttachDialog } from './attach.tsx';
import { BreakpointForm } from './breakpoints/breakpoint-form.tsx';
import { ConsoleTools, ConsoleView } from './console/console-view.tsx';
import { OutputTools, OutputView } from './console/output-view.tsx';
import { type Debugger, DebuggerContext } from './debugger.ts';
import { RecentRuns } from './runs/recent-runs.tsx';
import { RunsTools, RunsView } from './runs/runs-view.tsx';
import { debugOf } from './session/session.ts';
import { DebugSide } from './side-view.tsx';
import { AddressStatus, DroppedStatus, PausedStatus } from './status.tsx';
import { ThreadsView } from './threads/threads-view.tsx';
import { TimelineNote, TimelineView } from './threads/timeline-view.tsx';
import { DebugToolbar } from './toolbar.tsx';
import { VariablesView } from './values/variables-view.tsx';
import { WatchView } from './values/watch-view.tsx';

/** Puts the views of the debugger into the window. */
export function addDebugViews(owner: Debugger): void {
  const { contributions } = owner.studio;
  const debug = debugOf(owner.studio);
  const within = (View: ComponentType) => () => (
    <DebuggerContext value={owner}>
      <View />
    </DebuggerContext>
  );
  const badge = new Store<{ readonly count: number; readonly paused: true } | undefined>(undefined);
  debug.model.state.subscribe(() => {
    const count = debug.model.state.value.threads.filter(({ isPaused }) => isPaused).length;
    if (count !== (badge.value?.count ?? 0)) badge.set(count === 0 ? undefined : { count, paused: true });
  });
  // What is asked in the console is asked of a session, or of threads that one left behind.
  const showConsole = () => {
    const { connection, threads } = debug.model.state.value;
    contributions.hidePanel('console', connection === 'none' && threads.length === 0);
  };
  debug.model.state.subscribe(showConsole);
  showConsole();
  contributions.addTitle({ id: 'debug', order: 10, view: DebugToolbar });
  contributions.addSideView({
    id: 'debug',
    title: 'Run and debug',
    icon: 'bug',
    order: 30,
    view: within(DebugSide),
    badge,
  });
  contributions.addAuxiliaryView({ id: 'threads', title: 'Threads', order: 10, view: within(ThreadsView) });
  contributions.addAuxiliaryView({
    id: 'variables',
    title: 'Variables',
    order: 20,
    view: within(VariablesView),
    staysWhilePaused: true,
  });
  contributions.addAuxiliaryView({ id: 'watch', title: 'Watch', order: 30, view: within(WatchView) });
  contributions.addPanel({
    id: 'timeline',
    title: 'Timeline',
    order: 10,
    place: 'left',
    view: within(TimelineView),
    tools: within(TimelineNote),
  });
  contributions.addPanel({
    id: 'runs',
    title: 'Runs',
    order: 15,
    place: 'left',
    view: within(RunsView),
    tools: within(RunsTools),
  });
  contributions.addPanel({
    id: 'output',
    title: 'Output',
    order: 20,
    place: 'left',
    view: within(OutputView),
    tools: within(OutputTools),
  });
  contributions.addPanel({
    id: 'console',
    title: 'Debug console',
    order: 10,
    place: 'right',
    view: within(ConsoleView),
    tools: within(ConsoleTools),
  });
  contributions.addToFirstPage({ id: 'runs', order: 10, view: within(RecentRuns) });
  contributions.addStatus({ id: 'debug.paused', side: 'left', order: 1, view: within(PausedStatus) });
  contributions.addStatus({ id: 'debug.address', side: 'left', order: 2, view: within(AddressStatus) });
  contributions.addStatus({ id: 'debug.dropped', side: 'left', order: 90, view: within(DroppedStatus) });
  contributions.addOverlay({ id: 'debug.attach', view: within(AttachDialog) });
  contributions.addOverlay({ id: 'debug.breakpoint', view: within(BreakpointForm) });
}
