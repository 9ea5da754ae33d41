import type { monaco } from '../project/monaco.ts';
import type { Studio } from '../shell/studio.ts';
import { editorsOf } from './editors.ts';

/** Parts of an editor and its text that their own types leave out. */
interface TypedEditor {
  /** Fires before the character is in the text. */
  onWillType(listener: (text: string) => void): monaco.IDisposable;
  getModel(): { readonly tokenization: { forceTokenization(line: number): void } };
  getSelections(): readonly monaco.Selection[];
}

/**
 * The editor closes brackets and indents only where it has read the lines above, which it does when it is idle. One who
 * types fast, or on a busy machine, is ahead of it: the lines are read before each character.
 */
export function readBeforeTyping(studio: Studio): void {
  editorsOf(studio).extend(({ editor }) => {
    const typed = editor as unknown as TypedEditor;
    const listening = typed.onWillType(() => {
      const last = Math.max(...typed.getSelections().map(({ endLineNumber }) => endLineNumber));
      typed.getModel().tokenization.forceTokenization(last);
    });
    return () => listening.dispose();
  });
}
