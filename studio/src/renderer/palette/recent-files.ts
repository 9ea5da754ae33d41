import type { Layout } from '../shell/layout.ts';
import { partsOf } from '../shell/layout.ts';

const most = 30;

/** Files in the order in which they were last looked at. */
export class RecentFiles {
  #paths: readonly string[] = [];

  /** Notes what is looked at from now on. */
  follow(layout: Layout): void {
    layout.editors.subscribe(() => {
      const { kind, path } = partsOf(layout.active ?? ':');
      if (kind === 'text' && path !== this.#paths[0]) this.note(path);
    });
  }

  note(path: string): void {
    this.#paths = [path, ...this.#paths.filter((each) => each !== path)].slice(0, most);
  }

  /** Those of the files that were looked at, latest first; the one that is shown comes last, for one is there already. */
  order(files: readonly string[], shown: string): readonly string[] {
    const known = new Set(files);
    const last = this.#paths.filter((path) => known.has(path) && path !== shown);
    return known.has(shown) && this.#paths.includes(shown) ? [...last, shown] : last;
  }
}
