import { type FSWatcher, type WatchEventType, watch } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { lockName } from '../../engine/plugins/install/lock.ts';
import { schemaFile } from '../../foundation/contracts/published.ts';
import { isConfigurationFile, isConfigurationFolder } from './discover.ts';
import type { NamedFiles } from './named-files.ts';

export interface WatchOptions {
  /** Absolute path of the configuration. */
  readonly directory: string;
  /** Called once after changes have settled. */
  readonly changed: () => void;
  /** Time without changes that ends a burst of changes, in milliseconds. Default: 500. */
  readonly settle?: number;
  /** Polling interval where the system cannot watch, in milliseconds. Default: 2000. */
  readonly pollEvery?: number;
  /** Files that the configuration names, wherever they are. Absent: these are not watched. */
  readonly named?: NamedFiles | undefined;
  /** Milliseconds between two looks at these. Default: 1000. */
  readonly lookEvery?: number;
  /** True polls although the system could watch; for tests and unusual file systems. */
  readonly poll?: boolean;
}

/**
 * Watches a configuration directory: created, changed, deleted and renamed files and `.env` count, new folders too, hidden
 * ones not. Returns a function that ends it.
 */
export function watchConfiguration(options: WatchOptions): () => void {
  const { directory, changed, settle = 500, pollEvery = 2_000, poll = false, named, lookEvery = 1_000 } = options;
  let timer: NodeJS.Timeout | undefined;
  let fellBack = false;
  let stop: () => void = () => undefined;
  const touched = () => {
    clearTimeout(timer);
    timer = setTimeout(changed, settle);
    timer.unref();
  };
  const fallBack = () => {
    stop = pollDirectory(directory, pollEvery, touched);
  };
  if (poll) fallBack();
  else {
    const folders = new FolderWatch(directory, touched, () => {
      fellBack = true;
      fallBack();
    });
    if (!fellBack) stop = () => folders.stop();
  }
  // What is watched as configuration is reported once.
  const endLooks = named?.watch(lookEvery, isRelevant, touched);
  return () => {
    clearTimeout(timer);
    endLooks?.();
    stop();
  };
}

/**
 * Watches each folder by itself, so that what is not configuration (`node_modules`, `.git`) costs nothing. When the system
 * refuses, `fallBack` takes over.
 */
class FolderWatch {
  readonly #directory: string;
  readonly #touched: () => void;
  readonly #fallBack: () => void;
  readonly #watchers = new Map<string, FSWatcher>();
  #stopped = false;
  /** Reports when the directory itself, or the link that leads to it, is removed or replaced. */
  #above: FSWatcher | undefined;

  constructor(directory: string, touched: () => void, fallBack: () => void) {
    this.#directory = directory;
    this.#touched = touched;
    this.#fallBack = fallBack;
    this.#watchAbove();
    void this.#visit('');
  }

  #watchAbove(): void {
    const path = resolve(this.#directory);
    try {
      this.#above = watch(dirname(path), { persistent: false }, (event, name) => {
        if (event === 'rename' && name === basename(path)) void this.#replaced();
      });
      this.#above.on('error', () => this.#above?.close());
    } catch {
      // Changes in the directory are seen all the same.
    }
  }

  /** The watchers watch a directory that is no longer at its path. */
  async #replaced(): Promise<void> {
    if (this.#stopped) return;
    this.#forget('');
    await this.#visit('');
    this.#touched();
  }

  stop(): void {
    this.#stopped = true;
    this.#above?.close();
    this.#forget('');
  }

  async #visit(folder: string): Promise<void> {
    if (this.#stopped || !this.#watch(folder)) return;
    const entries = await readdir(join(this.#directory, folder), { withFileTypes: true }).catch(() => []);
    for (const entry of entries)
      if (entry.isDirectory() && isConfigurationFolder(entry.name)) await this.#visit(below(folder, entry.name));
  }

  /** False when the folder is watched already or cannot be. */
  #watch(folder: string): boolean {
    if (this.#watchers.has(folder)) return false;
    const path = join(this.#directory, folder);
    try {
      const watcher = watch(path, { persistent: false }, (event, name) => this.#changed(event, folder, name));
      watcher.on('error', () => this.#forget(folder));
      this.#watchers.set(folder, watcher);
      return true;
    } catch (error) {
      const gone = error instanceof Error && 'code' in error && error.code === 'ENOENT';
      if (!gone && !this.#stopped) {
        this.stop();
        this.#fallBack();
      }
      return false;
    }
  }

  #changed(event: WatchEventType, folder: string, name: string | null): void {
    if (this.#stopped) return;
    const path = name === null ? folder : below(folder, name);
    if (name === null || isRelevant(path)) this.#touched();
    // A file that is written again and again, such as a database, is not a folder that comes or goes.
    if (event === 'rename' && name !== null && isConfigurationFolder(name)) void this.#cameOrWent(path);
  }

  async #cameOrWent(path: string): Promise<void> {
    const found = await stat(join(this.#directory, path)).catch(() => undefined);
    if (found?.isDirectory()) {
      // A folder of the same name may have taken its place.
      this.#forget(path);
      await this.#visit(path);
      // What was written into the folder before it was watched is seen by the reload that this asks for.
      this.#touched();
    } else if (found === undefined && this.#watchers.has(path)) {
      this.#forget(path);
      this.#touched();
    }
  }

  #forget(folder: string): void {
    for (const [path, watcher] of this.#watchers) {
      if (folder !== '' && path !== folder && !path.startsWith(`${folder}/`)) continue;
      watcher.close();
      this.#watchers.delete(path);
    }
  }
}

function below(folder: string, name: string): string {
  return folder === '' ? name : `${folder}/${name}`;
}

/** Whether a change of this file, relative to the directory, may change the configuration. */
export function isRelevant(path: string): boolean {
  const end = Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\'));
  const name = path.slice(end + 1);
  // Mounted configuration is replaced by changing what this link leads to.
  if (end < 0 && (name === '.env' || name === '..data' || name === lockName)) return true;
  if (isRecording(path)) return true;
  if (!isConfigurationFile(name) && !(schemaFile.test(name) && !name.startsWith('.'))) return false;
  return end < 0 || path.slice(0, end).split(/[/\\]/).every(isConfigurationFolder);
}

/** A JSON file that mocks answer with, or that tests read. */
function isRecording(path: string): boolean {
  return /^(mocks|tests)[/\\].*\.json$/.test(path);
}

function pollDirectory(directory: string, every: number, touched: () => void): () => void {
  let stopped = false;
  let before: string | undefined;
  let timer: NodeJS.Timeout | undefined;
  const look = async () => {
    const now = await fingerprint(directory);
    if (stopped) return;
    if (before !== undefined && now !== before) touched();
    before = now;
    timer = setTimeout(look, every);
    timer.unref();
  };
  void look();
  return () => {
    stopped = true;
    clearTimeout(timer);
  };
}

/** Names, sizes and times of all configuration files. */
async function fingerprint(directory: string): Promise<string> {
  const lines: string[] = [];
  const visit = async (folder: string): Promise<void> => {
    const entries = await readdir(join(directory, folder), { withFileTypes: true }).catch(() => []);
    for (const { name } of entries) {
      const relative = below(folder, name);
      const found = await stat(join(directory, relative)).catch(() => undefined);
      if (found?.isDirectory() && isConfigurationFolder(name)) await visit(relative);
      else if (found?.isFile() && isRelevant(relative))
        lines.push(`${relative} ${found.size} ${found.mtimeMs} ${found.ino}`);
    }
  };
  await visit('');
  return lines.sort().join('\n');
}
