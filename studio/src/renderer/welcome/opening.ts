import type { ProjectInfo } from '../../shared/services.ts';
import { mayLeave } from '../shell/closing.ts';
import type { SessionKeeper } from '../shell/session.ts';
import type { Studio } from '../shell/studio.ts';
import { Store } from '../state/store.ts';

/** What is asked for in the dialog: which folder to open, or where a new project goes. */
export type OpeningDialog =
  | { readonly kind: 'open' }
  | { readonly kind: 'create'; readonly template: string | undefined };

/** Opens folders in this window, one in place of another. */
export class ProjectOpening {
  readonly dialog = new Store<OpeningDialog | undefined>(undefined);
  readonly recent = new Store<readonly string[]>([]);
  readonly #studio: Studio;
  readonly #session: SessionKeeper;

  constructor(studio: Studio, session: SessionKeeper) {
    this.#studio = studio;
    this.#session = session;
  }

  async refreshRecent(): Promise<void> {
    this.recent.set((await this.#studio.bridge.call('project.recent', {})).directories);
  }

  /** Lets the person choose a folder: with the system's own dialog, in a browser by its path. */
  async choose(): Promise<void> {
    if (this.#studio.bridge.host === 'browser') return this.dialog.set({ kind: 'open' });
    await this.#enter(async () => (await this.#studio.bridge.call('project.choose', {})).project);
  }

  /** Rejects when it is not a readable folder; the current one stays open then. */
  async open(directory: string): Promise<void> {
    await this.#enter(async () => (await this.#studio.bridge.call('project.open', { directory })).project);
  }

  async create(template: string, directory: string): Promise<void> {
    await this.#enter(async () => (await this.#studio.bridge.call('project.create', { template, directory })).project);
  }

  async #enter(call: () => Promise<ProjectInfo | undefined>): Promise<void> {
    const { project, layout } = this.#studio;
    if (!(await mayLeave(this.#studio))) return;
    await this.#session.flush();
    const info = await call();
    if (info === undefined) return;
    this.dialog.set(undefined);
    project.leave();
    layout.drop(() => true);
    await project.enter(info);
    await this.refreshRecent();
  }
}
