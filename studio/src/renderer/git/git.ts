import type { GitChange, GitState } from '../../shared/git.ts';
import { isConfiguration } from '../project/project.ts';
import { partOfStudio, type Studio } from '../shell/studio.ts';
import { Store } from '../state/store.ts';

/** Quiet milliseconds after which a burst of changes is looked at. */
const settle = 300;
/** Configuration files that are compared at most. */
const mostCompared = 500;

/** A file as it was at the last commit; no text where it was not there. */
export interface EarlierText {
  readonly path: string;
  readonly text: string | undefined;
}

/** What git knows of the open folder; undefined without git, without a repository, and before the folder is trusted. */
export class Git {
  readonly state = new Store<GitState | undefined>(undefined);
  /** What differs by the path of each file. */
  readonly byPath = new Store<ReadonlyMap<string, GitChange['kind']>>(new Map());
  readonly #studio: Studio;
  readonly #texts = new Map<string, Promise<string | undefined>>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #round = 0;

  constructor(studio: Studio) {
    this.#studio = studio;
    const { bridge, project } = studio;
    const soon = () => this.#soon();
    project.info.subscribe(() => {
      this.#texts.clear();
      if (project.info.value === undefined) this.#set(undefined);
      void this.refresh();
    });
    bridge.on('git.changed', soon);
    bridge.on('files.changed', soon);
    project.entries.subscribe(soon);
    // What the page itself saves is not reported.
    project.dirty.subscribe(soon);
    window.addEventListener('focus', soon);
  }

  /** Asks again. */
  async refresh(): Promise<void> {
    const round = ++this.#round;
    const info = this.#studio.project.info.value;
    if (info?.trusted !== true) return this.#set(undefined);
    const found = await this.#studio.bridge.call('git.state', {}).catch(() => undefined);
    if (round === this.#round) this.#set(found?.state);
  }

  /** The text of a file at the last commit; undefined where it was not there. */
  textOf(path: string): Promise<string | undefined> {
    const { commit } = this.state.value ?? {};
    if (commit === undefined) return Promise.resolve(undefined);
    const known = this.#texts.get(path);
    if (known !== undefined) return known;
    const asked = this.#studio.bridge.call('git.text', { path }).then(({ text }) => text);
    this.#texts.set(path, asked);
    // Where it could not be asked, the next one asks again.
    asked.catch(() => this.#texts.delete(path));
    return asked;
  }

  /** The configuration files that may differ from the last commit, as they were; what is not saved counts. */
  async earlierTexts(): Promise<readonly EarlierText[]> {
    const { changes = [] } = this.state.value ?? {};
    const paths = new Set([...changes.map(({ path }) => path), ...this.#studio.project.dirty.value]);
    const compared = [...paths].filter(isConfiguration).slice(0, mostCompared);
    return Promise.all(compared.map(async (path) => ({ path, text: await this.textOf(path) })));
  }

  #soon(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.refresh(), settle);
  }

  #set(state: GitState | undefined): void {
    if (JSON.stringify(state) === JSON.stringify(this.state.value)) return;
    if (state?.commit !== this.state.value?.commit) this.#texts.clear();
    this.byPath.set(new Map(state?.changes.map(({ path, kind }) => [path, kind])));
    this.state.set(state);
  }
}

export const gitOf = partOfStudio((studio) => new Git(studio));

/** The branch, or the beginning of the commit that is checked out in place of one. */
export function headOf({ branch, commit }: GitState): string {
  return branch ?? commit?.slice(0, 8) ?? 'no commit';
}
