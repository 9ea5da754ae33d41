import { type FSWatcher, watch } from 'node:fs';
import { lstat, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { HostEvents } from '../../shared/services.ts';
import { readText } from './texts.ts';
import { isShown } from './tree.ts';

type Change = HostEvents['files.changed']['changes'][number];

/** Quiet milliseconds that end a burst of changes, and the longest that one is waited for. */
const settle = 80;
const longest = 500;
const mostFolders = 5_000;
/** A burst of more changes is reported in several parts. */
const mostAtOnce = 1_000;

/**
 * Watches the shown files of a folder, and `.env`. Each folder is watched by itself, so that what is not shown costs
 * nothing. What the window wrote itself is not reported.
 */
export class ProjectWatch {
  /** Resolves when every folder that was there is watched. */
  readonly ready: Promise<void>;
  readonly #root: string;
  readonly #tell: (changes: readonly Change[]) => void;
  readonly #watchers = new Map<string, FSWatcher>();
  readonly #touched = new Set<string>();
  readonly #own = new Map<string, string>();
  #timer: NodeJS.Timeout | undefined;
  #burst = 0;
  #isStopped = false;

  constructor(root: string, tell: (changes: readonly Change[]) => void) {
    this.#root = root;
    this.#tell = tell;
    this.ready = this.#visit('', false);
  }

  /** Says what the window wrote. */
  wrote(path: string, version: string): void {
    this.#own.set(path, version);
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    for (const watcher of this.#watchers.values()) watcher.close();
    this.#watchers.clear();
  }

  /** Watches a folder and those below it; `isNew` tells what is in it too, since it came before the watch did. */
  async #visit(folder: string, isNew: boolean): Promise<void> {
    if (!this.#watch(folder)) return;
    const entries = await readdir(join(this.#root, folder), { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      const path = below(folder, entry.name);
      if (entry.isDirectory() && isShown(entry.name)) await this.#visit(path, isNew);
      if (isNew) this.#touch(path);
    }
  }

  /** False when the folder is watched already or cannot be. */
  #watch(folder: string): boolean {
    if (this.#isStopped || this.#watchers.has(folder) || this.#watchers.size >= mostFolders) return false;
    try {
      const watcher = watch(join(this.#root, folder), { persistent: false }, (event, name) => {
        if (name === null || this.#isStopped) return;
        const path = below(folder, name);
        this.#touch(path);
        if (event === 'rename' && isShown(name)) void this.#cameOrWent(path);
      });
      watcher.on('error', () => this.#forget(folder));
      this.#watchers.set(folder, watcher);
      return true;
    } catch {
      // Gone again, or the system watches no more folders; the person reloads by hand then.
      return false;
    }
  }

  async #cameOrWent(path: string): Promise<void> {
    // A link is not followed: what it leads to may be outside.
    const found = await lstat(join(this.#root, path)).catch(() => undefined);
    if (found?.isDirectory()) await this.#visit(path, true);
    else if (found === undefined) this.#forget(path);
  }

  #forget(folder: string): void {
    for (const [path, watcher] of this.#watchers) {
      if (path !== folder && !path.startsWith(`${folder}/`)) continue;
      watcher.close();
      this.#watchers.delete(path);
    }
  }

  #touch(path: string): void {
    if (this.#isStopped || (path !== '.env' && !path.split('/').every(isShown))) return;
    if (this.#touched.size === 0) this.#burst = performance.now();
    this.#touched.add(path);
    clearTimeout(this.#timer);
    const left = Math.max(0, this.#burst + longest - performance.now());
    this.#timer = setTimeout(() => void this.#settled(), Math.min(settle, left)).unref();
  }

  async #settled(): Promise<void> {
    const paths = [...this.#touched].sort();
    this.#touched.clear();
    for (let at = 0; at < paths.length; at += mostAtOnce) {
      const changes: Change[] = [];
      for (const path of paths.slice(at, at + mostAtOnce)) {
        const change = await this.#changeOf(path);
        if (change !== undefined) changes.push(change);
      }
      if (changes.length > 0 && !this.#isStopped) this.#tell(changes);
    }
  }

  async #changeOf(path: string): Promise<Change | undefined> {
    const absolute = join(this.#root, path);
    const own = this.#own.get(path);
    const found = await stat(absolute).catch(() => undefined);
    if (found === undefined) {
      this.#own.delete(path);
      return { path, kind: 'deleted' };
    }
    if (own !== undefined) {
      if ((await readText(absolute, path).catch(() => undefined))?.version === own) return undefined;
      this.#own.delete(path);
    }
    return { path, kind: 'changed' };
  }
}

function below(folder: string, name: string): string {
  return folder === '' ? name : `${folder}/${name}`;
}
