import type { TextEdit } from './edit.ts';
import type { Range } from './range.ts';

/** Errors stop a service from starting, warnings do not, infos are advice. */
export type Severity = 'error' | 'warning' | 'info';

/** What is judged: the configuration itself, or an expression inside it. */
export type DiagnosticFamily = 'config' | 'expression';

/** Another place that belongs to the problem, such as the first of two equal names. */
export interface RelatedPlace {
  readonly message: string;
  readonly file: string;
  readonly range: Range;
}

/** A problem with its place. `code` is a stable word (`unknown-attribute`) that programs may rely on. */
export interface Diagnostic {
  readonly code: string;
  readonly severity: Severity;
  readonly family: DiagnosticFamily;
  readonly message: string;
  /** Path of the file relative to the configuration directory, with `/`. */
  readonly file: string;
  readonly range: Range;
  /** What to write instead, one sentence. */
  readonly help?: string | undefined;
  readonly related?: readonly RelatedPlace[] | undefined;
  /** Edits of the same file that remove the problem. */
  readonly fix?: { readonly title: string; readonly edits: readonly TextEdit[] } | undefined;
}

const severities: Readonly<Record<Severity, number>> = { error: 0, warning: 1, info: 2 };

/** What has to be corrected comes before advice; equally severe problems are in the order of files and places. */
export function mostSevereFirst(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  return diagnostics.toSorted(
    (a, b) =>
      severities[a.severity] - severities[b.severity] ||
      (a.file < b.file ? -1 : a.file > b.file ? 1 : a.range.start - b.range.start),
  );
}
