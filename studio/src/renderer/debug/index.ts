import type { Studio } from '../shell/studio.ts';
import { addDebugCommands } from './commands.ts';
import { Debugger } from './debugger.ts';
import { spokenReason } from './mark-shape.ts';
import { tellAfterReload } from './reload.ts';
import { addDebugViews } from './views.tsx';

/** The debugger: one set of breakpoints, threads and what they hold, values where the code stands. */
export function contributeDebug(studio: Studio): void {
  const owner = new Debugger(studio);
  const { model } = studio.debug;
  const { isAuxiliaryTaken } = studio.contributions;
  // What is drawn in texts comes with them.
  void import('./in-text.ts').then(({ showInText }) => showInText(owner));
  addDebugCommands(owner);
  addDebugViews(owner);
  tellAfterReload(studio);
  let isFirstStop = true;
  model.state.subscribe(() => {
    if (!studio.debug.isAttached) isFirstStop = true;
    if (model.current?.isPaused !== true) isAuxiliaryTaken.set(false);
  });
  // Beside the canvas stands what is selected there, until the next stop.
  studio.focus.subscribe(() => studio.focus.value?.by === 'canvas' && isAuxiliaryTaken.set(false));
  model.onStopped = (thread) => {
    if (isFirstStop) studio.layout.state.patch({ isAuxiliaryOpen: true, panelLeft: 'timeline', panelRight: 'console' });
    isFirstStop = false;
    isAuxiliaryTaken.set(true);
    if (model.focused.value === thread.id) owner.revealThread(thread);
    const at = thread.rule ? `rule ${thread.rule.target}` : thread.stage;
    studio.announce(`Paused in ${thread.flow} before ${at}: ${spokenReason(thread.reason)}.`);
  };
  model.onEnded = (thread) => {
    owner.console.ended(thread);
    const { flow, ended, stop } = thread;
    if (stop > 0) studio.announce(ended?.error ? `${flow} failed: ${ended.error}` : `${flow} ended.`);
  };
}
