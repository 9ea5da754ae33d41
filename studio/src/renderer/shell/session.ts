import { recordOf } from '../preferences/settings.ts';
import type { KeptPart } from './contributions.ts';
import { type EditorGroup, type EditorsState, firstLayout, type LayoutState } from './layout.ts';
import type { Studio } from './studio.ts';

/** Milliseconds without a change after which the looks of the window are kept. */
const pause = 500;
const mostTabs = 100;

/** What is kept of a window for its folder. */
interface Session {
  readonly layout: Partial<LayoutState>;
  readonly editors: EditorsState | undefined;
}

/** Keeps layout, open tabs and what features keep for each folder, and puts them back when it is opened again. */
export class SessionKeeper {
  readonly #studio: Studio;
  #directory: string | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(studio: Studio) {
    this.#studio = studio;
    const { project, layout, contributions } = studio;
    project.info.subscribe(() => this.#projectChanged(project.info.value?.directory));
    for (const store of [layout.state, layout.editors]) store.subscribe(() => this.#schedule());
    const followed = new Set<KeptPart>();
    const follow = () => {
      for (const part of contributions.kept.value) {
        if (!followed.has(part)) part.changes.subscribe(() => this.#schedule());
        followed.add(part);
      }
    };
    contributions.kept.subscribe(follow);
    follow();
    window.addEventListener('pagehide', () => void this.flush());
  }

  /** Writes what has changed, at once. */
  async flush(): Promise<void> {
    if (this.#timer === undefined) return;
    this.#cancel();
    const { settings, layout, contributions } = this.#studio;
    const directory = this.#directory as string;
    await settings.remember(directory, 'session', {
      ...Object.fromEntries(contributions.kept.value.map(({ name, read }) => [name, read()])),
      layout: layout.state.value,
      editors: layout.editors.value,
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
    const { settings, layout, contributions } = this.#studio;
    const kinds = contributions.editorKinds.value;
    const kept = settings.recall(directory, 'session');
    const session = readSession(kept, (kind) => kinds.has(kind));
    layout.state.patch(session.layout);
    const { value: first } = contributions.firstTab;
    const fresh = { groups: [{ tabs: first === undefined ? [] : [first], active: first }], focused: 0 };
    layout.editors.set(session.editors ?? fresh);
    const stored = recordOf(kept) ?? {};
    for (const { name, restore } of contributions.kept.value) restore(stored[name]);
    if (kept === undefined) void this.#suggest(directory).catch(() => undefined);
  }

  /** A folder that is opened for the first time may bring along what features keep, in `.svc/studio.json`. */
  async #suggest(directory: string): Promise<void> {
    const { bridge, contributions } = this.#studio;
    const { text } = await bridge.call('files.read', { path: '.svc/studio.json' });
    const brought = recordOf(JSON.parse(text)) ?? {};
    if (directory !== this.#directory) return;
    for (const { name, suggest } of contributions.kept.value) suggest(brought[name]);
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

/** What can be used of what was kept; anything else is left out, so that it never keeps a folder from opening. */
export function readSession(value: unknown, isKind: (kind: string) => boolean): Session {
  const { layout, editors } = recordOf(value) ?? {};
  return {
    layout: readLayout(layout),
    editors: readEditors(editors, isKind),
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

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
