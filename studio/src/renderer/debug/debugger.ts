import { createContext, use } from 'react';
import type { Studio } from '../shell/studio.ts';
import { Store } from '../state/store.ts';
import type { Mark } from './breakpoints.ts';
import { DebugConsole } from './console.ts';
import type { FlowMap } from './flow-map.ts';
import { Inspection } from './inspection.ts';
import type { Thread } from './model.ts';
import { reveal } from './reveal.ts';
import type { StopAt, Stops } from './stops.ts';
import { ValueTree } from './value-tree.ts';
import { Watches } from './watches.ts';

/** What the views of the debugger share. */
export class Debugger {
  readonly studio: Studio;
  readonly stops: Stops;
  readonly flows: FlowMap;
  readonly inspection: Inspection;
  readonly watches: Watches;
  readonly console: DebugConsole;
  readonly tree = new ValueTree();
  /** Whether the dialog that asks for an address is open. */
  readonly isAsking = new Store(false);
  /** The breakpoint whose form is open. */
  readonly edited = new Store<Mark | undefined>(undefined);

  constructor(studio: Studio) {
    this.studio = studio;
    this.stops = studio.stops;
    this.flows = studio.flows;
    this.inspection = new Inspection(studio.debug);
    this.watches = new Watches(studio.debug, this.inspection);
    this.console = new DebugConsole(studio.debug);
    this.#keepWatches();
  }

  /** Where a thread stands in the text, which may be newer than what runs: rules are found by their target. */
  standing({ flow, stage, name, rule }: Thread): StopAt | undefined {
    const written = rule && this.flows.rule(flow, stage, name, rule);
    return this.stops.find({ flow, stage, name, ruleIndex: (written ?? rule)?.index ?? -1 });
  }

  /** Shows the line where a thread stands. */
  revealThread(thread: Thread): void {
    const stop = this.standing(thread);
    if (stop !== undefined) reveal(this.studio, stop.file, stop.start);
  }

  /** Watched expressions belong to the folder and come back with it; what was printed is gone with it. */
  #keepWatches(): void {
    const { project, settings, notices } = this.studio;
    let directory: string | undefined;
    project.onFolder((opened) => {
      directory = opened;
      this.console.clear();
      const kept = directory === undefined ? [] : settings.recall(directory, 'watches');
      this.watches.restore(Array.isArray(kept) ? kept.filter((each) => typeof each === 'string') : []);
    });
    this.watches.changed = (expressions) => {
      if (directory !== undefined)
        settings.remember(directory, 'watches', expressions).catch((error) => notices.failed(error));
    };
  }
}

export const DebuggerContext = createContext<Debugger | undefined>(undefined);

export function useDebugger(): Debugger {
  const found = use(DebuggerContext);
  if (found === undefined) throw new Error('there is no debugger around this view');
  return found;
}
