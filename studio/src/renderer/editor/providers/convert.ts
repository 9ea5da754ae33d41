import type { CompletionItem, CompletionKind, DocumentSymbol } from '@svc/protocol/language';
import type { Range, TextEdit } from '@svc/protocol/text';
import type { IRange, languages } from 'monaco-editor/editor/editor.api.js';

// What the language service says, in the words of the editor. No part of the editor runs here: it needs a window.

/** A text that turns offsets into lines and columns, both from 1; models do. */
export interface Lines {
  getPositionAt(offset: number): { readonly lineNumber: number; readonly column: number };
}

export function toRange(lines: Lines, { start, end }: Range): IRange {
  const from = lines.getPositionAt(start);
  const to = lines.getPositionAt(end);
  return {
    startLineNumber: from.lineNumber,
    startColumn: from.column,
    endLineNumber: to.lineNumber,
    endColumn: to.column,
  };
}

export function toEdit(lines: Lines, { range, text }: TextEdit): languages.TextEdit {
  return { range: toRange(lines, range), text };
}

/** Numbers of `languages.CompletionItemKind`, whose icons represent them in the list. */
const completionKinds: Readonly<Record<CompletionKind, languages.CompletionItemKind>> = {
  block: 8,
  attribute: 9,
  value: 13,
  name: 21,
  variable: 4,
  field: 3,
  function: 1,
  method: 0,
};

/** `after` is the text behind the range, where brackets that are there already are not written twice. */
export function toCompletion(item: CompletionItem, order: number, lines: Lines, after: string) {
  const { label, kind, detail, doc, edit, snippet } = item;
  const isCall = kind === 'function' || kind === 'method';
  const isCalled = isCall && after.startsWith('(');
  const hasPlaces = snippet !== undefined && !isCalled;
  return {
    label: { label, description: isCall ? resultOf(detail) : detail },
    kind: completionKinds[kind],
    detail,
    ...(doc === undefined ? {} : { documentation: { value: doc } }),
    sortText: String(order).padStart(4, '0'),
    // The editor compares what is in the range, opening quotes included.
    filterText: edit.text.startsWith('"') ? edit.text : label,
    insertText: isCalled ? edit.text.replace(/\(\)$/, '') : hasPlaces ? snippet : edit.text,
    ...(hasPlaces ? { insertTextRules: 4 as languages.CompletionItemInsertTextRule.InsertAsSnippet } : {}),
    range: toRange(lines, edit.range),
    ...followUp(kind, hasPlaces),
  };
}

/** What a function gives, of a signature such as `size(list) -> int`. */
function resultOf(signature: string): string {
  return signature.split(' -> ').at(-1) as string;
}

/** What is asked for next: the values of an attribute, the parameters of a call. */
function followUp(kind: CompletionKind, hasPlaces: boolean) {
  if (!hasPlaces) return {};
  if (kind === 'attribute') return { command: { id: 'editor.action.triggerSuggest', title: 'Suggest' } };
  if (kind === 'function' || kind === 'method')
    return { command: { id: 'editor.action.triggerParameterHints', title: 'Show parameters' } };
  return {};
}

/** Whether the end of a line's beginning is inside quotes. */
export function isInsideQuotes(before: string): boolean {
  let inside = false;
  for (let at = 0; at < before.length; at++) {
    if (inside && before[at] === '\\') at++;
    else if (before[at] === '"') inside = !inside;
  }
  return inside;
}

const namedBlock: languages.SymbolKind = 4;
const otherBlock: languages.SymbolKind = 18;

export function toSymbol(symbol: DocumentSymbol, lines: Lines): languages.DocumentSymbol {
  const { name, kind, range, selection, children } = symbol;
  return {
    name,
    detail: name === kind ? '' : kind,
    kind: name === kind ? otherBlock : namedBlock,
    tags: [],
    range: toRange(lines, range),
    selectionRange: toRange(lines, selection),
    children: children.map((child) => toSymbol(child, lines)),
  };
}
