import type { Mark } from '../debug/breakpoints.ts';
import { recordOf } from '../settings/settings.ts';
import { type EditorGroup, type EditorsState, firstLayout, type LayoutState } from './layout.ts';
import type { Studio } from './studio.ts';

/** Milliseconds without a change after which the looks of the window are kept. */
const pause = 500;
const mostTabs = 100;
const mostBreakpoints = 1_000;

/** What is kept of a window for its folder. */
interface Session {
  readonly layout: Partial<LayoutState>;
  readonly editors: EditorsState | undefined;
  readonly breakpoints: readonly Mark[];
}

/** Keeps layout, open tabs and breakpoints for each folder, and puts them back when it is opened again. */
export class SessionKeeper {
  readonly #studio: Studio;
  #directory: string | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(studio: Studio) {
    this.#studio = studio;
    const { project, layout, debug } = studio;
    project.info.subscribe(() => this.#projectChanged(project.info.value?.directory));
    for (const store of [layout.state, layout.editors, debug.breakpoints.marks])
      store.subscribe(() => this.#schedule());
    window.addEventListener('pagehide', () => void this.flush());
  }

  /** Writes what has changed, at once. */
  async flush(): Promise<void> {
    if (this.#timer === undefined) return;
    this.#cancel();
    const { settings, layout, debug } = this.#studio;
    const directory = this.#directory as string;
    const breakpoints = [...debug.breakpoints.marks.value.values()].map(withoutAnswer);
    await settings.remember(directory, 'session', {
      layout: layout.state.value,
      editors: layout.editors.value,
      breakpoints,
    });
  }

  #projectChanged(directory: string | undefined): void {
    if (directory === this.#directory) return;
    this.#cancel();
    this.#directory = undefined;
    if (directory !== undefined) this.#restore(directory);
    this.#directory = directory;
  }

  #restore(directory: string): void {
    const { settings, layout, debug, contributions } = this.#studio;
    const kinds = contributions.editorKinds.value;
    const kept = settings.recall(directory, 'session');
    const session = readSession(kept, (kind) => kinds.has(kind));
    layout.state.patch(session.layout);
    layout.editors.set(session.editors ?? { groups: [{ tabs: [], active: undefined }], focused: 0 });
    debug.breakpoints.clear();
    for (const mark of session.breakpoints) debug.breakpoints.set(mark);
    if (kept === undefined) void this.#suggest(directory).catch(() => undefined);
  }

  /** A folder that is opened for the first time may bring breakpoints along, in `.svc/studio.json`. */
  async #suggest(directory: string): Promise<void> {
    const { bridge, debug } = this.#studio;
    const { text } = await bridge.call('files.read', { path: '.svc/studio.json' });
    const { breakpoints } = recordOf(JSON.parse(text)) ?? {};
    if (directory !== this.#directory || debug.breakpoints.marks.value.size > 0) return;
    for (const mark of marksOf(breakpoints)) debug.breakpoints.set(mark);
  }

  #schedule(): void {
    if (this.#directory === undefined) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.flush().catch(this.#studio.commands.onFailure), pause);
  }

  #cancel(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}

function withoutAnswer(mark: Mark) {
  const { flow, stage, name, ruleIndex, isEnabled, condition, hitCount, logMessage } = mark;
  return { flow, stage, name, ruleIndex, isEnabled, condition, hitCount, logMessage };
}

/** What can be used of what was kept; anything else is left out, so that it never keeps a folder from opening. */
export function readSession(value: unknown, isKind: (kind: string) => boolean): Session {
  const { layout, editors, breakpoints } = recordOf(value) ?? {};
  return {
    layout: readLayout(layout),
    editors: readEditors(editors, isKind),
    breakpoints: marksOf(breakpoints),
  };
}

function readLayout(value: unknown): Partial<LayoutState> {
  const stored = recordOf(value) ?? {};
  const fits = Object.entries(firstLayout).filter(([name, first]) => {
    const given = stored[name];
    return typeof given === typeof first && (typeof given !== 'number' || (given >= 96 && given <= 640));
  });
  return Object.fromEntries(fits.map(([name]) => [name, stored[name]]));
}

function readEditors(value: unknown, isKind: (kind: string) => boolean): EditorsState | undefined {
  const { groups, focused } = recordOf(value) ?? {};
  const read = listOf(groups)
    .slice(0, 2)
    .flatMap((group): EditorGroup[] => {
      const { tabs, active } = recordOf(group) ?? {};
      const isAddress = (tab: unknown): tab is string =>
        typeof tab === 'string' && tab.includes(':') && isKind(tab.slice(0, tab.indexOf(':')));
      const usable = [...new Set(listOf(tabs).filter(isAddress))].slice(0, mostTabs);
      if (usable.length === 0) return [];
      return [{ tabs: usable, active: usable.find((tab) => tab === active) ?? usable[0] }];
    });
  if (read.length === 0) return undefined;
  return { groups: read, focused: focused === 1 && read.length === 2 ? 1 : 0 };
}

function marksOf(value: unknown): readonly Mark[] {
  return listOf(value).slice(0, mostBreakpoints).flatMap(readMark);
}

function readMark(value: unknown): Mark[] {
  const { flow, stage, name = '', ruleIndex, isEnabled, condition, hitCount, logMessage } = recordOf(value) ?? {};
  if (typeof flow !== 'string' || typeof stage !== 'string' || typeof name !== 'string') return [];
  if (!Number.isSafeInteger(ruleIndex)) return [];
  return [
    {
      flow,
      stage,
      name,
      ruleIndex: ruleIndex as number,
      isEnabled: isEnabled !== false,
      condition: typeof condition === 'string' ? condition : undefined,
      hitCount: Number.isSafeInteger(hitCount) ? (hitCount as number) : undefined,
      logMessage: typeof logMessage === 'string' ? logMessage : undefined,
      message: '',
      hits: 0,
    },
  ];
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
