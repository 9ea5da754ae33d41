import { type FunctionComponent, useEffect, useState } from 'react';
import type { Document } from '../project/document.ts';
import { useStudio } from '../shell/studio.ts';
import type { Editors } from './editors.ts';
import type { EditorStates, TextEditorProps } from './text-editor.tsx';

interface Opened {
  readonly document: Document;
  readonly TextEditor: FunctionComponent<TextEditorProps>;
}

/** Makes the view of a text tab; what one editor remembers stays with the path while the window lives. */
export function textView(editors: Editors, texts: Promise<Pick<Opened, 'TextEditor'>>) {
  const states: EditorStates = new Map();
  return function TextView({ path }: { readonly path: string }) {
    const { project, notices } = useStudio();
    const [opened, setOpened] = useState<Opened>();
    useEffect(() => {
      let isGone = false;
      Promise.all([project.open(path), texts]).then(
        ([document, { TextEditor }]) => isGone || setOpened({ document, TextEditor }),
        (error: unknown) => notices.failed(error),
      );
      return () => {
        isGone = true;
      };
    }, [path, project, notices]);
    if (opened === undefined) return <div className="grow" />;
    const { document, TextEditor } = opened;
    return <TextEditor {...{ document, editors, states }} />;
  };
}
