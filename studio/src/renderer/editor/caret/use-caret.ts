import { useEffect, useState } from 'react';
import type { OpenEditor } from '../editors.ts';

/** Where the caret of an editor is: line and column from 1, the offset from 0. */
export interface Caret {
  readonly line: number;
  readonly column: number;
  readonly offset: number;
}

export function useCaret(open: OpenEditor | undefined): Caret | undefined {
  const [caret, setCaret] = useState<Caret>();
  useEffect(() => {
    if (open === undefined) return setCaret(undefined);
    const { editor } = open;
    const take = () => {
      const position = editor.getPosition();
      const model = editor.getModel();
      if (position === null || model === null) return;
      const { lineNumber: line, column } = position;
      setCaret({ line, column, offset: model.getOffsetAt(position) });
    };
    take();
    const moved = editor.onDidChangeCursorPosition(take);
    return () => moved.dispose();
  }, [open]);
  return caret;
}
