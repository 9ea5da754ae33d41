import { useEffect, useRef } from 'react';
import type { Document } from '../project/document.ts';
import { monaco } from '../project/monaco.ts';
import { useStudio } from '../shell/studio.ts';
import { useStore } from '../state/use-store.ts';

interface ComparisonProps {
  readonly document: Document;
  /** The text that it is compared with, at the left. */
  readonly theirs: string;
  readonly label: string;
}

/** Another text beside that of a document, which can be edited there; one above the other where there is little room. */
export function Comparison({ document, theirs, label }: ComparisonProps) {
  const { settings } = useStudio();
  const holder = useRef<HTMLDivElement>(null);
  const { fontSize } = useStore(settings.state);
  useEffect(() => {
    const original = monaco.editor.createModel(theirs, document.model.getLanguageId());
    const made = monaco.editor.createDiffEditor(holder.current as HTMLElement, {
      automaticLayout: true,
      fontSize,
      minimap: { enabled: false },
      originalAriaLabel: 'On disk',
      modifiedAriaLabel: 'Here, not saved',
      renderSideBySide: true,
      scrollBeyondLastLine: false,
      useInlineViewWhenSpaceIsLimited: true,
    });
    made.setModel({ original, modified: document.model });
    return () => {
      made.dispose();
      original.dispose();
    };
  }, [document, theirs, fontSize]);
  return <section ref={holder} className="text-editor" aria-label={label} />;
}
