import { monaco } from '../../project/monaco.ts';

interface DiffEditorOptions {
  /** What the texts are called for those who do not see them. */
  readonly original: string;
  readonly modified: string;
  readonly fontSize: number;
  /** Nothing can be written into the right one either. */
  readonly readOnly?: boolean;
}

/** Two texts beside each other, one above the other where there is little room. The left one cannot be edited. */
export function makeDiffEditor(
  holder: HTMLElement,
  { original, modified, fontSize, readOnly = false }: DiffEditorOptions,
): monaco.editor.IStandaloneDiffEditor {
  return monaco.editor.createDiffEditor(holder, {
    readOnly,
    originalEditable: false,
    automaticLayout: true,
    renderSideBySide: true,
    useInlineViewWhenSpaceIsLimited: true,
    renderSideBySideInlineBreakpoint: 700,
    hideUnchangedRegions: { enabled: true },
    fontFamily: getComputedStyle(window.document.documentElement).getPropertyValue('--font-mono'),
    fontSize,
    lineHeight: 20,
    minimap: { enabled: false },
    renderOverviewRuler: false,
    scrollBeyondLastLine: false,
    fixedOverflowWidgets: true,
    originalAriaLabel: original,
    modifiedAriaLabel: modified,
  });
}
