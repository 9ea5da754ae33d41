import type { Studio } from '../shell/studio.ts';
import { keptFailureStops } from './breakpoints/failure-stops.ts';
import { keptBreakpoints } from './breakpoints/kept.ts';
import { spokenReason } from './breakpoints/mark-shape.ts';
import { addDebugCommands } from './commands.ts';
import { Debugger } from './debugger.ts';
import { tellAfterReload } from './reload.ts';
import { runActionsOf } from './runs/actions.ts';
import { saveAsTest } from './runs/save-test.ts';
import { followView } from './session/in-view.ts';
import { debugOf } from './session/session.ts';
import type { Thread } from './session/thread.ts';
import { addDebugViews } from './views.tsx';

function spokenPlace({ rule, stage, message, reason }: Thread): string {
  if (reason === 'failure' || reason === 'drop') return `at ${rule?.target ?? stage}, ${message}`;
  return `before ${rule ? `rule ${rule.target}` : stage}`;
}

/** The debugger: one set of breakpoints, threads and what they hold, values where the code is. */
export function contributeDebug(studio: Studio): void {
  const owner = new Debugger(studio);
  const { model } = debugOf(studio);
  const { isAuxiliaryTaken, isPaused } = studio.contributions;
  // What is drawn in texts comes with them.
  void import('./text/in-text.ts').then(({ showInText }) => showInText(owner));
  addDebugCommands(owner);
  addDebugViews(owner);
  studio.contributions.addKept(keptBreakpoints(debugOf(studio).breakpoints));
  studio.contributions.addKept(keptFailureStops(debugOf(studio).failureStops));
  debugOf(studio).stopsTaken = () => studio.announce(debugOf(studio).failureStops.spoken);
  tellAfterReload(studio);
  runActionsOf(studio).update((all) => [...all, saveAsTest(owner)]);
  followView(studio);
  let isFirstStop = true;
  let isFirstRun = true;
  model.state.subscribe(() => {
    if (!debugOf(studio).isAttached) isFirstStop = isFirstRun = true;
    isPaused.set(model.current?.isPaused === true);
    if (!isPaused.value) isAuxiliaryTaken.set(false);
  });
  // Beside the variables is what is selected on the canvas, until the next stop.
  studio.focus.subscribe(() => studio.focus.value?.by === 'canvas' && isAuxiliaryTaken.set(false));
  model.onStopped = (thread) => {
    isFirstRun = false;
    if (isFirstStop) studio.layout.state.patch({ isAuxiliaryOpen: true, panelLeft: 'timeline', panelRight: 'console' });
    isFirstStop = false;
    isAuxiliaryTaken.set(true);
    if (model.focused.value === thread.id) owner.revealThread(thread);
    studio.announce(`Paused in ${thread.flow} ${spokenPlace(thread)}: ${spokenReason(thread.reason)}.`);
  };
  model.onEnded = (thread) => {
    owner.console.ended(thread);
    owner.runs.keep(thread);
    const { flow, ended, stop } = thread;
    // A run that did not stop is to be seen as one that did.
    if (isFirstRun) studio.layout.state.patch({ isAuxiliaryOpen: true, panelLeft: 'timeline', panelRight: 'console' });
    isFirstRun = false;
    if (ended?.error) studio.announce(`${flow} failed: ${ended.error}`);
    else if (stop > 0) studio.announce(`${flow} ended.`);
  };
}
