import { partOfStudio } from '../shell/studio.ts';
import { Store } from '../state/store.ts';
import type { IconName } from '../theme/icon.tsx';

/** A line that can be chosen. */
export interface PaletteItem {
  /** Different for each item of a list. */
  readonly id: string;
  readonly title: string;
  /** Behind the title, dimmer: a folder, a kind. It is searched too. */
  readonly detail?: string | undefined;
  readonly icon?: { readonly name: IconName; readonly className?: string | undefined } | undefined;
  /** A chord of the command. */
  readonly keys?: string | undefined;
  /** Before the first item that has it, a heading is drawn while nothing is typed. */
  readonly group?: string | undefined;
  readonly run: () => void | Promise<void>;
  /** Shown while the line is the active one, such as a theme; undone by `restore` of the list. */
  readonly preview?: (() => void) | undefined;
}

/** Where items come from. */
export interface PaletteSource {
  /** What the text begins with to ask this source; empty for the one that is asked otherwise. */
  readonly prefix: string;
  /** What the field says while it is empty. */
  readonly placeholder: string;
  /** Said when nothing is found. */
  readonly nothing: string;
  /** The items for what was typed behind the prefix. */
  readonly items: (query: string, signal: AbortSignal) => readonly PaletteItem[] | Promise<readonly PaletteItem[]>;
  /** Whether the items answer to the query themselves already; else those that match it loosely are shown. */
  readonly isFiltered?: boolean | undefined;
  /** Called when it closes without a choice, after a preview. */
  readonly restore?: (() => void) | undefined;
}

interface OpenPalette {
  readonly text: string;
  /** Asked whatever is typed: a list to pick from. */
  readonly only?: PaletteSource | undefined;
}

/** The field over the window from which everything is reached: files, commands, symbols, lines, and lists to pick from. */
export class Palette {
  readonly open = new Store<OpenPalette | undefined>(undefined);
  #sources: readonly PaletteSource[] = [];

  addSource(source: PaletteSource): void {
    this.#sources = [...this.#sources, source].sort((a, b) => b.prefix.length - a.prefix.length);
  }

  /** Opens it with a text, prefix included. */
  show(text: string): void {
    this.open.set({ text });
  }

  /** Lets the person pick from a list; what is chosen runs. */
  pick(source: Omit<PaletteSource, 'prefix'>): void {
    this.open.set({ text: '', only: { ...source, prefix: '' } });
  }

  close(): void {
    this.open.set(undefined);
  }

  /** Who answers to a text, and what is left of it to search for. */
  ask(text: string): { readonly source: PaletteSource; readonly query: string } | undefined {
    const source = this.open.value?.only ?? this.#sources.find(({ prefix }) => text.startsWith(prefix));
    return source && { source, query: text.slice(source.prefix.length).trim() };
  }
}

export const paletteOf = partOfStudio(() => new Palette());
