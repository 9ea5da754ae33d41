import {
  type CompletionItem,
  type CompletionKind,
  type DocumentSymbol,
  type InlayHint,
  type SemanticToken,
  tokenKinds,
} from '../language/index.ts';
import type { Diagnostic, LineIndex, Range, Severity, TextEdit } from '../text/index.ts';

/*
 * What the language service says, in the words of the Language Server Protocol 3.17. Its positions count lines and
 * UTF-16 code units from 0.
 */

export interface LspPosition {
  readonly line: number;
  readonly character: number;
}

export interface LspRange {
  readonly start: LspPosition;
  readonly end: LspPosition;
}

export function toPosition(lines: LineIndex, offset: number): LspPosition {
  const { line, column } = lines.position(offset);
  return { line: line - 1, character: column - 1 };
}

export function toRange(lines: LineIndex, { start, end }: Range): LspRange {
  return { start: toPosition(lines, start), end: toPosition(lines, end) };
}

export function toOffset(lines: LineIndex, { line, character }: LspPosition): number {
  if (line >= lines.lineCount) return lines.text.length;
  return lines.offset(line + 1, character + 1);
}

export function fromRange(lines: LineIndex, { start, end }: LspRange): Range {
  return { start: toOffset(lines, start), end: toOffset(lines, end) };
}

export function toEdit(lines: LineIndex, { range, text }: TextEdit) {
  return { range: toRange(lines, range), newText: text };
}

const severities: Readonly<Record<Severity, number>> = { error: 1, warning: 2, info: 3 };

/** `linesOf` and `uriOf` are asked for the files of related places. */
export function toDiagnostic(
  diagnostic: Diagnostic,
  linesOf: (path: string) => LineIndex,
  uriOf: (path: string) => string,
) {
  const { code, severity, message, help, related, file, range } = diagnostic;
  return {
    range: toRange(linesOf(file), range),
    severity: severities[severity],
    code,
    source: 'svc',
    message: help === undefined ? message : `${message}\n${help}`,
    ...(code === 'unused' ? { tags: [1] } : {}),
    ...(related === undefined
      ? {}
      : {
          relatedInformation: related.map((one) => ({
            message: one.message,
            location: { uri: uriOf(one.file), range: toRange(linesOf(one.file), one.range) },
          })),
        }),
  };
}

const typeHint = 1;

/** Operations have no kind of their own in the protocol. */
export function toInlayHint({ offset, label, kind, tooltip }: InlayHint, lines: LineIndex) {
  return {
    position: toPosition(lines, offset),
    label: kind === 'type' ? `: ${label}` : label,
    ...(kind === 'type' ? { kind: typeHint } : {}),
    ...(tooltip === undefined ? {} : { tooltip: { kind: 'markdown', value: tooltip } }),
    paddingLeft: true,
  };
}

const completionKinds: Readonly<Record<CompletionKind, number>> = {
  block: 7,
  attribute: 10,
  value: 12,
  name: 18,
  variable: 6,
  field: 5,
  function: 3,
  method: 2,
};

/** `snippets`: whether the editor can fill in the places of a snippet. `order` keeps the order of the service. */
export function toCompletionItem(item: CompletionItem, order: number, lines: LineIndex, snippets: boolean) {
  const { label, kind, detail, doc, edit, snippet } = item;
  const text = snippets && snippet !== undefined ? snippet : edit.text;
  return {
    label,
    kind: completionKinds[kind],
    ...(detail === '' ? {} : { detail }),
    ...(doc === undefined ? {} : { documentation: { kind: 'markdown', value: doc } }),
    sortText: String(order).padStart(4, '0'),
    // Editors compare what is in the range, opening quotes included.
    filterText: edit.text.startsWith('"') ? edit.text : label,
    insertTextFormat: text === edit.text ? 1 : 2,
    textEdit: { range: toRange(lines, edit.range), newText: text },
  };
}

interface LspSymbol {
  readonly name: string;
  readonly detail: string;
  readonly kind: number;
  readonly range: LspRange;
  readonly selectionRange: LspRange;
  readonly children: readonly LspSymbol[];
}

const classSymbol = 5;
const objectSymbol = 19;

export function toSymbol({ name, kind, range, selection, children }: DocumentSymbol, lines: LineIndex): LspSymbol {
  return {
    name,
    detail: name === kind ? '' : kind,
    kind: symbolKind(name !== kind),
    range: toRange(lines, range),
    selectionRange: toRange(lines, selection),
    children: children.map((child) => toSymbol(child, lines)),
  };
}

/** Named blocks look different from unnamed ones. */
export function symbolKind(named: boolean): number {
  return named ? classSymbol : objectSymbol;
}

/** Five numbers a token: lines and characters since the one before, length, kind, no modifiers. None spans lines. */
export function toTokenData(tokens: readonly SemanticToken[], lines: LineIndex): readonly number[] {
  const data: number[] = [];
  let lastLine = 0;
  let lastCharacter = 0;
  for (const { kind, ...range } of tokens.flatMap((token) => byLine(token, lines))) {
    const { line, character } = toPosition(lines, range.start);
    data.push(line - lastLine, line === lastLine ? character - lastCharacter : character);
    data.push(range.end - range.start, tokenKinds.indexOf(kind), 0);
    lastLine = line;
    lastCharacter = character;
  }
  return data;
}

function byLine(token: SemanticToken, lines: LineIndex): SemanticToken[] {
  const first = lines.position(token.start).line;
  const last = lines.position(token.end).line;
  if (first === last) return [token];
  const parts: SemanticToken[] = [];
  for (let line = first; line <= last; line++) {
    const start = Math.max(token.start, lines.offset(line, 1));
    const end = Math.min(token.end, start + lines.line(line).length - (lines.position(start).column - 1));
    if (end > start) parts.push({ ...token, start, end });
  }
  return parts;
}
