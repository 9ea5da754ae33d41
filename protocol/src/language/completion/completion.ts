import type { TextEdit } from '../../text/index.ts';

export type CompletionKind = 'block' | 'attribute' | 'value' | 'name' | 'variable' | 'field' | 'function' | 'method';

/** One thing that may be written at a place. */
export interface CompletionItem {
  readonly label: string;
  readonly kind: CompletionKind;
  /** In a few words: `duration`, `list of text`. */
  readonly detail: string;
  /** Markdown. */
  readonly doc: string | undefined;
  /** What choosing it writes. */
  readonly edit: TextEdit;
  /** The same with places to fill in (`$1`, `$0`), for editors that know snippets; `$` and `}` of the text are escaped. */
  readonly snippet: string | undefined;
  /** Items of lower rank are shown first. */
  readonly rank: number;
}
