import type { Origin } from '../schema/index.ts';
import type { Diagnostic, DiagnosticFamily, Range, RelatedPlace, Severity } from '../text/index.ts';

interface Details {
  readonly severity?: Severity;
  readonly family?: DiagnosticFamily;
  readonly help?: string | undefined;
  readonly related?: readonly RelatedPlace[];
  readonly fix?: Diagnostic['fix'];
}

/** Takes one problem at a place. */
export type Report = (code: string, message: string, at: Origin, details?: Details) => void;

/** A report that appends to a list. Syntax nodes are accepted as ranges; only their offsets are kept. */
export function reportTo(diagnostics: Diagnostic[]): Report {
  return (code, message, at, { severity = 'error', family = 'config', help, related, fix } = {}) => {
    diagnostics.push({
      code,
      severity,
      family,
      message,
      file: at.file,
      range: plain(at.range),
      help,
      ...(related ? { related: related.map((one) => ({ ...one, range: plain(one.range) })) } : {}),
      ...(fix
        ? { fix: { title: fix.title, edits: fix.edits.map(({ range, text }) => ({ range: plain(range), text })) } }
        : {}),
    });
  };
}

function plain({ start, end }: Range): Range {
  return { start, end };
}

/** For a block that was never closed: it is reported as such, and what it lacks may be further on. */
export function withoutMissing(report: Report): Report {
  return (code, message, at, details) => {
    if (!code.startsWith('missing-')) report(code, message, at, details);
  };
}
