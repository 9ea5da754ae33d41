import { type Diagnostic, LineIndex, type Range, type Severity } from '@svc/protocol/text';
import { mask } from '../foundation/observe/mask.ts';
import { secretRanges, secretTexts, withoutSecrets } from './written-secrets.ts';

/** Problems together with the texts that they are in. */
export interface Findings {
  readonly diagnostics: readonly Diagnostic[];
  /** Text of every file by its path relative to the configuration directory. */
  readonly texts: ReadonlyMap<string, string>;
}

export type ReportFormat = 'text' | 'json' | 'sarif';

export interface Summary {
  readonly errors: number;
  readonly warnings: number;
  readonly infos: number;
}

/** How many problems of each severity there are. */
export function summarize(diagnostics: readonly Diagnostic[]): Summary {
  const count = (severity: Severity) => diagnostics.filter((one) => one.severity === severity).length;
  return { errors: count('error'), warnings: count('warning'), infos: count('info') };
}

const paint = {
  error: '\u001b[1;31m',
  warning: '\u001b[1;33m',
  info: '\u001b[1;36m',
  dim: '\u001b[2m',
  bold: '\u001b[1m',
  reset: '\u001b[0m',
} as const;

/** Problems for people: message, place, code frame with caret, what to write instead, related places. */
export function reportText(findings: Findings, colour: boolean): string {
  const shade = (text: string, name: keyof typeof paint) => (colour ? `${paint[name]}${text}${paint.reset}` : text);
  const { diagnostics, secrets } = cleaned(findings);
  const indexes = indexTexts(findings.texts);
  return diagnostics
    .map((diagnostic) => {
      const { code, severity, message, file, range, help, related = [] } = diagnostic;
      const lines = [`${shade(`${severity}[${code}]`, severity)}${shade(`: ${message}`, 'bold')}`];
      const index = indexes.get(file);
      lines.push(`  ${shade('-->', 'dim')} ${placeText(file, range, index)}`);
      if (index)
        lines.push(
          ...codeFrame(
            index,
            range,
            secrets.get(file) ?? [],
            (text) => shade(text, severity),
            (text) => shade(text, 'dim'),
          ),
        );
      for (const place of related)
        lines.push(
          `   ${shade('=', 'dim')} ${place.message}: ${placeText(place.file, place.range, indexes.get(place.file))}`,
        );
      if (help !== undefined) lines.push(`   ${shade('=', 'dim')} help: ${help}`);
      return `${lines.join('\n')}\n`;
    })
    .join('\n');
}

function placeText(file: string, range: Range, index: LineIndex | undefined): string {
  if (!index) return file;
  const { line, column } = index.position(range.start);
  return `${file}:${line}:${column}`;
}

/**
 * The line of the problem with carets below it; a range of several lines is marked to the end of its first. Secrets in it are
 * not shown.
 */
function codeFrame(
  index: LineIndex,
  range: Range,
  secrets: readonly Range[],
  mark: (text: string) => string,
  dim: (text: string) => string,
): string[] {
  const start = index.position(range.start);
  const offset = range.start - start.column + 1;
  const { text, placeOf } = shownLine(index.line(start.line), offset, secrets);
  const number = String(start.line);
  const gutter = ' '.repeat(number.length);
  const column = placeOf(start.column - 1);
  const before = text.slice(0, column).replace(/[^\t]/g, ' ');
  const length = Math.max(1, placeOf(range.end - offset) - column);
  return [
    ` ${gutter} ${dim('|')}`,
    ` ${dim(number)} ${dim('|')} ${text}`,
    ` ${gutter} ${dim('|')} ${before}${mark('^'.repeat(length))}`,
  ];
}

/** A line that begins at `offset` without its secrets, and where places of the written line are in it. */
function shownLine(line: string, offset: number, secrets: readonly Range[]) {
  const hidden = secrets.flatMap((range) => {
    const [start, end] = [Math.max(0, range.start - offset), Math.min(line.length, range.end - offset)];
    return start < end ? [{ start, end }] : [];
  });
  let text = '';
  let at = 0;
  for (const { start, end } of hidden) {
    text += line.slice(at, start) + mask;
    at = end;
  }
  const placeOf = (place: number) => {
    let moved = 0;
    for (const { start, end } of hidden) {
      if (place <= start) break;
      if (place < end) return start + moved + Math.min(place - start, mask.length);
      moved += mask.length - (end - start);
    }
    return Math.min(place, line.length) + moved;
  };
  return { text: text + line.slice(at), placeOf };
}

/** The problems without secrets of the files, and where these are in each. */
function cleaned({ diagnostics, texts }: Findings) {
  const named = new Set(diagnostics.flatMap(({ file, related = [] }) => [file, ...related.map((each) => each.file)]));
  const secrets = new Map(
    [...texts].filter(([file]) => named.has(file)).map(([file, text]) => [file, secretRanges(text)]),
  );
  const words = new Set([...secrets].flatMap(([file, ranges]) => secretTexts(texts.get(file) ?? '', ranges)));
  return { diagnostics: diagnostics.map((each) => withoutSecrets(each, words)), secrets };
}

/** Problems for programs (docs/specification/validation.md#reports). */
export function reportJson(findings: Findings, valid: boolean): string {
  const indexes = indexTexts(findings.texts);
  const rangeOf = (file: string, range: Range) => {
    const index = indexes.get(file) ?? new LineIndex('');
    return { start: index.position(range.start), end: index.position(range.end) };
  };
  const problems = cleaned(findings).diagnostics.map((one) => ({
    code: one.code,
    family: one.family,
    severity: one.severity,
    message: one.message,
    file: one.file,
    range: rangeOf(one.file, one.range),
    related: (one.related ?? []).map(({ message, file, range }) => ({ message, file, range: rangeOf(file, range) })),
    help: one.help ?? '',
  }));
  return `${JSON.stringify({ valid, summary: summarize(findings.diagnostics), problems }, null, 2)}\n`;
}

const sarifLevels = { error: 'error', warning: 'warning', info: 'note' } as const;

/** Problems for code scanning: SARIF 2.1.0. */
export function reportSarif(findings: Findings, version: string): string {
  const indexes = indexTexts(findings.texts);
  const location = (file: string, range: Range, message?: string) => {
    const index = indexes.get(file) ?? new LineIndex('');
    const [start, end] = [index.position(range.start), index.position(range.end)];
    return {
      physicalLocation: {
        artifactLocation: { uri: file },
        region: { startLine: start.line, startColumn: start.column, endLine: end.line, endColumn: end.column },
      },
      ...(message === undefined ? {} : { message: { text: message } }),
    };
  };
  const { diagnostics } = cleaned(findings);
  const codes = [...new Set(diagnostics.map(({ code }) => code))].sort();
  const results = diagnostics.map((one) => ({
    ruleId: one.code,
    level: sarifLevels[one.severity],
    message: { text: one.help === undefined ? one.message : `${one.message}. ${one.help}` },
    locations: [location(one.file, one.range)],
    relatedLocations: (one.related ?? []).map(({ file, range, message }) => location(file, range, message)),
  }));
  const driver = { name: 'svc', version, rules: codes.map((id) => ({ id })) };
  const log = {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [{ tool: { driver }, columnKind: 'utf16CodeUnits', results }],
  };
  return `${JSON.stringify(log, null, 2)}\n`;
}

function indexTexts(texts: ReadonlyMap<string, string>): ReadonlyMap<string, LineIndex> {
  return new Map([...texts].map(([file, text]) => [file, new LineIndex(text)]));
}
