import type { Origin } from '../schema/index.ts';
import type { Diagnostic, DiagnosticFamily, RelatedPlace, Severity } from '../text/index.ts';

interface Details {
  readonly severity?: Severity;
  readonly family?: DiagnosticFamily;
  readonly help?: string | undefined;
  readonly related?: readonly RelatedPlace[];
  readonly fix?: Diagnostic['fix'];
}

/** Takes one problem at a place. */
export type Report = (code: string, message: string, at: Origin, details?: Details) => void;

/** A report that appends to a list. */
export function reportTo(diagnostics: Diagnostic[]): Report {
  return (code, message, { file, range }, { severity = 'error', family = 'config', ...details } = {}) => {
    diagnostics.push({
      code,
      severity,
      family,
      message,
      file,
      range: { start: range.start, end: range.end },
      ...details,
    });
  };
}
