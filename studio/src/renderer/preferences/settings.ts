import type { Bridge } from '../../shared/services.ts';
import { Store } from '../state/store.ts';

export const themeChoices = ['system', 'dark', 'light', 'hc-dark', 'hc-light'] as const;
export const keymaps = ['default', 'jetbrains'] as const;
export const densities = ['compact', 'normal', 'relaxed'] as const;
/** Pixels that the text of an editor may have. */
export const fontSizes = { least: 8, most: 32 } as const;

export type ThemeChoice = (typeof themeChoices)[number];

/** What a person sets for all projects. */
export interface SettingsState {
  readonly theme: ThemeChoice;
  readonly keymap: (typeof keymaps)[number];
  /** Own keys by id of the command; they win over the keymap. */
  readonly keys: Readonly<Record<string, string>>;
  readonly density: (typeof densities)[number];
  readonly wordWrap: boolean;
  readonly formatOnSave: boolean;
  readonly fontSize: number;
}

export const firstSettings: SettingsState = {
  theme: 'system',
  keymap: 'default',
  keys: {},
  density: 'normal',
  wordWrap: false,
  formatOnSave: false,
  fontSize: 13,
};

/** For how many folders it is kept how their windows looked; the one that was seen longest ago goes first. */
const mostProjects = 50;

type Json = Readonly<Record<string, unknown>>;

/** Settings of this person on this machine; written whenever one changes. */
export class Settings {
  readonly state = new Store<SettingsState>(firstSettings);
  readonly #bridge: Pick<Bridge, 'call'>;
  #projects: Readonly<Record<string, Json>> = {};
  #turn: Promise<unknown> = Promise.resolve();

  constructor(bridge: Pick<Bridge, 'call'>) {
    this.#bridge = bridge;
  }

  /**
   * Takes what was stored; what is missing or unreadable stays as it is, so that it never keeps a window from opening.
   */
  async load(): Promise<void> {
    const stored = await this.#read();
    this.#projects = projectsOf(stored);
    this.state.patch(readSettings(stored));
  }

  async change(part: Partial<SettingsState>): Promise<void> {
    this.state.patch(part);
    await this.#write((stored) => ({ ...stored, ...part }));
  }

  /** What was kept under a name for a folder, as it was read: the caller judges whether it can be used. */
  recall(directory: string, name: string): unknown {
    return Object.hasOwn(this.#projects, directory) ? this.#projects[directory]?.[name] : undefined;
  }

  /** Keeps something for a folder. Rejects when it cannot be written. */
  async remember(directory: string, name: string, value: unknown): Promise<void> {
    const changed = (all: Readonly<Record<string, Json>>) => {
      const { [directory]: own = {}, ...others } = all;
      const kept = Object.entries(others).slice(-(mostProjects - 1));
      return { ...Object.fromEntries(kept), [directory]: { ...own, [name]: value } };
    };
    this.#projects = changed(this.#projects);
    await this.#write((stored) => ({ ...stored, projects: changed(projectsOf(stored)) }));
  }

  async #read(): Promise<Json> {
    try {
      return recordOf(JSON.parse((await this.#bridge.call('settings.read', {})).json)) ?? {};
    } catch {
      // A broken file does not prevent opening: it is written again with the next change.
      return {};
    }
  }

  /** One write after another, each into what is stored by then: other windows write there too. */
  #write(change: (stored: Json) => Json): Promise<void> {
    const next = this.#turn.then(async () => {
      const json = JSON.stringify(change(await this.#read()), undefined, 2);
      await this.#bridge.call('settings.write', { json });
    });
    this.#turn = next.catch(() => undefined);
    return next;
  }
}

function projectsOf(stored: Json): Readonly<Record<string, Json>> {
  const entries = Object.entries(recordOf(stored['projects']) ?? {});
  return Object.fromEntries(
    entries.flatMap(([directory, value]) => {
      const kept = recordOf(value);
      return kept ? [[directory, kept]] : [];
    }),
  );
}

export function recordOf(value: unknown): Json | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : undefined;
}

/** The settings in what was stored; a value that does not fit is left out. */
function readSettings(stored: Json): Partial<SettingsState> {
  const read: { -readonly [K in keyof SettingsState]?: SettingsState[K] } = {};
  const { theme, keymap, density, wordWrap, formatOnSave, fontSize } = stored;
  if (isOneOf(themeChoices, theme)) read.theme = theme;
  if (isOneOf(keymaps, keymap)) read.keymap = keymap;
  if (isOneOf(densities, density)) read.density = density;
  if (typeof wordWrap === 'boolean') read.wordWrap = wordWrap;
  if (typeof formatOnSave === 'boolean') read.formatOnSave = formatOnSave;
  if (typeof fontSize === 'number' && fontSize >= fontSizes.least && fontSize <= fontSizes.most)
    read.fontSize = fontSize;
  const keys = Object.entries(recordOf(stored['keys']) ?? {}).filter(([, chord]) => typeof chord === 'string');
  if (keys.length > 0) read.keys = Object.fromEntries(keys) as Record<string, string>;
  return read;
}

function isOneOf<const T extends string>(values: readonly T[], value: unknown): value is T {
  return values.includes(value as T);
}
