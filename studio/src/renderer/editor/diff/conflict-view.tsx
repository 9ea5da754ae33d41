import { useEffect, useRef } from 'react';
import type { Document } from '../../project/document.ts';
import { monaco } from '../../project/monaco.ts';
import { useStudio } from '../../shell/studio.ts';
import { useStore } from '../../state/use-store.ts';
import { makeDiffEditor } from './diff-editor.ts';

interface ConflictViewProps {
  readonly document: Document;
  /** The text that it is compared with, at the left. */
  readonly theirs: string;
  readonly label: string;
}

/** Another text beside that of a document, which can be edited there. */
export function ConflictView({ document, theirs, label }: ConflictViewProps) {
  const { settings } = useStudio();
  const holder = useRef<HTMLDivElement>(null);
  const { fontSize } = useStore(settings.state);
  useEffect(() => {
    const original = monaco.editor.createModel(theirs, document.model.getLanguageId());
    const made = makeDiffEditor(holder.current as HTMLElement, {
      original: 'On disk',
      modified: 'Here, not saved',
      fontSize,
    });
    made.setModel({ original, modified: document.model });
    return () => {
      made.dispose();
      original.dispose();
    };
  }, [document, theirs, fontSize]);
  return <section ref={holder} className="text-editor" aria-label={label} />;
}
