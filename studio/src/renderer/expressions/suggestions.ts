import type { CompletionItem } from '@svc/protocol/language';

/** What is shown at most. */
const most = 8;

/** The items that fit the word before the caret: those that begin with it first, then those that contain it. */
export function fitting(items: readonly CompletionItem[], text: string, caret: number): readonly CompletionItem[] {
  const word = (item: CompletionItem) => text.slice(item.edit.range.start, caret).toLowerCase();
  const begins = items.filter((item) => item.label.toLowerCase().startsWith(word(item)));
  const contains = items.filter((item) => !begins.includes(item) && item.label.toLowerCase().includes(word(item)));
  const found = [...begins, ...contains].slice(0, most);
  // A word that is complete asks for nothing.
  const [only, ...others] = found;
  const isComplete =
    only !== undefined && others.length === 0 && only.label === text.slice(only.edit.range.start, caret);
  return isComplete ? [] : found;
}

/** The text after an item was taken, with the caret inside the brackets of a function. */
export function taken(item: CompletionItem, text: string): { readonly text: string; readonly caret: number } {
  const { range } = item.edit;
  const written = (item.snippet ?? item.edit.text).replace(/\$\{\d+:?([^}]*)\}/g, '$1');
  const at = written.indexOf('$0');
  const plain = written.replace('$0', '');
  return {
    text: text.slice(0, range.start) + plain + text.slice(range.end),
    caret: range.start + (at < 0 ? plain.length : at),
  };
}

/** Whether what was typed asks for suggestions: a letter of a word, or a dot behind something. */
export function asks(text: string, caret: number): boolean {
  return /(?:(?<!\w)[A-Za-z_]\w*|(?:(?<!\w)[A-Za-z_]\w*|[)\]])\.)$/.test(text.slice(0, caret));
}
