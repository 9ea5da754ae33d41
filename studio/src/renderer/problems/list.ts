import type { Diagnostic, Severity } from '@svc/protocol/text';
import type { PlacedDiagnostic } from '../../worker/language-requests.ts';
import type { TreeRow } from '../outline/tree-keys.ts';

/** The problems of one file. */
export interface ProblemGroup {
  readonly file: string;
  readonly problems: readonly PlacedDiagnostic[];
}

export type ProblemRow = TreeRow &
  (
    | { readonly kind: 'file'; readonly group: ProblemGroup }
    | { readonly kind: 'problem'; readonly problem: PlacedDiagnostic }
  );

/** Problems by file, those whose words hold the filter in any case. */
export function groupsOf(diagnostics: readonly PlacedDiagnostic[], filter: string): readonly ProblemGroup[] {
  const wanted = filter.trim().toLowerCase();
  const holds = ({ message, code, file, severity }: Diagnostic) =>
    [message, code, file, severity].some((word) => word.toLowerCase().includes(wanted));
  const found = wanted === '' ? diagnostics : diagnostics.filter(holds);
  return [...Map.groupBy(found, ({ file }) => file)].map(([file, problems]) => ({ file, problems }));
}

/** The lines of the list that can be seen. */
export function rowsOf(groups: readonly ProblemGroup[], closed: ReadonlySet<string>): readonly ProblemRow[] {
  return groups.flatMap((group): ProblemRow[] => {
    const isOpen = !closed.has(group.file);
    const head: ProblemRow = { kind: 'file', id: group.file, level: 1, isOpen, group };
    if (!isOpen) return [head];
    const below = group.problems.map((problem, index): ProblemRow => {
      return { kind: 'problem', id: `${group.file}#${index}`, level: 2, isOpen: undefined, problem };
    });
    return [head, ...below];
  });
}

export interface ProblemCounts {
  readonly error: number;
  readonly warning: number;
  readonly info: number;
}

export function countsOf(diagnostics: readonly Diagnostic[]): ProblemCounts {
  const count = (wanted: Severity) => diagnostics.filter(({ severity }) => severity === wanted).length;
  return { error: count('error'), warning: count('warning'), info: count('info') };
}

/** `1 error, 2 warnings`; `no problems`. */
export function inWords({ error, warning, info }: ProblemCounts): string {
  const parts = [counted(error, 'error'), counted(warning, 'warning'), counted(info, 'info')];
  return parts.filter((part) => part !== undefined).join(', ') || 'no problems';
}

function counted(count: number, word: string): string | undefined {
  return count === 0 ? undefined : plural(count, word);
}

export function plural(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`;
}

/** The problem after or before a place, round the end; diagnostics come in the order of files and places. */
export function neighbour(
  diagnostics: readonly Diagnostic[],
  place: { readonly path: string; readonly offset: number } | undefined,
  by: 1 | -1,
): Diagnostic | undefined {
  if (place === undefined) return by === 1 ? diagnostics[0] : diagnostics.at(-1);
  const compare = ({ file, range }: Diagnostic) =>
    file === place.path ? range.start - place.offset : file < place.path ? -1 : 1;
  return by === 1
    ? (diagnostics.find((one) => compare(one) > 0) ?? diagnostics[0])
    : (diagnostics.findLast((one) => compare(one) < 0) ?? diagnostics.at(-1));
}

/** How long ago something was, in the words of the list: `80 ms ago`, `3 s ago`, `5 min ago`. */
export function ago(milliseconds: number): string {
  if (milliseconds < 1000) return `${Math.max(1, Math.round(milliseconds))} ms ago`;
  const seconds = Math.floor(milliseconds / 1000);
  if (seconds < 60) return `${seconds} s ago`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60 ? `${minutes} min ago` : `${Math.floor(minutes / 60)} h ago`;
}
