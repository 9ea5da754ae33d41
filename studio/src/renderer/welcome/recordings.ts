import type { FileEntry } from '../../shared/services.ts';

/** A file that answers calls in place of a connector or a flow. */
export interface RecordingFile {
  readonly path: string;
  /** `db, orders` for a connector and what it is asked for; `flow create_order`. */
  readonly of: string;
}

/** Below the folder that a `mocks` block has where it names none. */
const recorded = /^mocks\/(?:connectors\/([^/]+)|flows)\/([^/]+)\.json$/;

/** The recordings of a folder, in the order of their paths. */
export function recordingsIn(entries: readonly FileEntry[]): readonly RecordingFile[] {
  return entries
    .flatMap(({ path, kind }) => {
      const [, connector, name] = recorded.exec(path) ?? [];
      if (kind !== 'file' || name === undefined) return [];
      return { path, of: connector === undefined ? `flow ${name}` : `${connector}, ${name}` };
    })
    .sort((one, other) => (one.path < other.path ? -1 : 1));
}
