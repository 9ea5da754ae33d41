import { type FSWatcher, watch } from 'node:fs';
import type { ProjectInfo } from '../../shared/services.ts';
import { InTurn } from '../files/stored.ts';
import type { Emit, HostServices } from '../host.ts';
import { Repository } from './repository.ts';

/** Quiet milliseconds after which a change of the repository is reported. */
const settle = 200;

/**
 * Answers what git knows of the open folder, once the person said that they trust it. It says nothing where there is
 * neither git nor a repository.
 */
export class Git {
  readonly services: Pick<HostServices, 'git.state' | 'git.text'>;
  readonly #environment: Readonly<Record<string, string | undefined>>;
  readonly #emit: Emit;
  readonly #turns = new InTurn();
  #open: { readonly directory: string; readonly repository: Repository; watcher: FSWatcher | undefined } | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(
    project: () => ProjectInfo | undefined,
    environment: Readonly<Record<string, string | undefined>>,
    emit: Emit,
  ) {
    this.#environment = environment;
    this.#emit = emit;
    const inTurn = <T>(work: (repository: Repository) => Promise<T>): Promise<T | undefined> =>
      this.#turns.run(async () => {
        const repository = await this.#repositoryOf(project());
        return repository && work(repository);
      });
    this.services = {
      'git.state': async () => ({ state: await inTurn((repository) => repository.state()) }),
      'git.text': async ({ path }) => ({ text: await inTurn((repository) => repository.text(path)) }),
    };
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#open?.watcher?.close();
    this.#open = undefined;
  }

  async #repositoryOf(project: ProjectInfo | undefined): Promise<Repository | undefined> {
    if (project?.trusted !== true) return undefined;
    const { directory } = project;
    if (this.#open?.directory !== directory) {
      this.close();
      this.#open = { directory, repository: new Repository(directory, this.#environment), watcher: undefined };
    }
    const open = this.#open;
    if (open === undefined) return undefined;
    if (open.watcher === undefined) {
      const folder = await open.repository.folder();
      if (folder !== undefined) open.watcher = this.#watch(folder);
    }
    return open.repository;
  }

  /** A commit, and another branch, write into the folder of the repository. */
  #watch(folder: string): FSWatcher | undefined {
    try {
      const watcher = watch(folder, { persistent: false }, () => {
        clearTimeout(this.#timer);
        this.#timer = setTimeout(() => this.#emit('git.changed', {}), settle).unref();
      });
      watcher.on('error', () => watcher.close());
      return watcher;
    } catch {
      // The system watches no more folders; the page asks again when it has the focus.
      return undefined;
    }
  }
}
