import { createHash } from 'node:crypto';
import { lstat, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Bytes of the largest file whose content is compared; a larger one counts as equal. */
const largest = 8 * 1024 * 1024;
/** Files that are read at the same time. */
const atOnce = 16;

interface Known {
  /** Changes when the file is written. */
  readonly stamp: string;
  /** The identity of the content, and that with line feeds alone. */
  readonly ids: readonly string[];
}

/**
 * Compares files with the identities that git has of their content. It reads them itself: git would run the filters
 * that the repository configures.
 */
export class WorkingTree {
  readonly #known = new Map<string, Known>();

  /** Those of the files whose content differs from that of their identity. */
  async changed(root: string, files: readonly (readonly [path: string, id: string])[]): Promise<readonly string[]> {
    const changed: string[] = [];
    const waiting = files.values();
    const work = async () => {
      for (const [path, id] of waiting) {
        const ids = await this.#idsOf(root, path, id.length === 64 ? 'sha256' : 'sha1');
        if (ids !== undefined && !ids.includes(id)) changed.push(path);
      }
    };
    await Promise.all(Array.from({ length: atOnce }, work));
    return changed;
  }

  forget(): void {
    this.#known.clear();
  }

  async #idsOf(root: string, path: string, algorithm: 'sha1' | 'sha256'): Promise<readonly string[] | undefined> {
    try {
      const absolute = join(root, path);
      const found = await lstat(absolute, { bigint: true });
      if (!found.isFile() || found.size > largest) return undefined;
      const stamp = `${algorithm} ${found.size} ${found.mtimeNs} ${found.ctimeNs} ${found.ino}`;
      const known = this.#known.get(path);
      if (known?.stamp === stamp) return known.ids;
      const bytes = await readFile(absolute);
      const own = [idOf(bytes, algorithm)];
      // Git may keep line feeds alone where files of this system have both characters.
      if (bytes.includes('\r\n'))
        own.push(idOf(Buffer.from(bytes.toString('latin1').replaceAll('\r\n', '\n'), 'latin1'), algorithm));
      this.#known.set(path, { stamp, ids: own });
      return own;
    } catch {
      // Gone meanwhile; the next look says so.
      return undefined;
    }
  }
}

/** The identity that git gives to a content. */
function idOf(bytes: Buffer, algorithm: 'sha1' | 'sha256'): string {
  return createHash(algorithm).update(`blob ${bytes.length}\0`).update(bytes).digest('hex');
}
