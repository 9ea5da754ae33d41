import { StandaloneServices } from 'monaco-editor/editor/standalone/browser/standaloneServices.js';
import { IStorageService } from 'monaco-editor/platform/storage/common/storage.js';
import type { Document } from '../project/document.ts';
import { monaco } from '../project/monaco.ts';

/** Heads of the blocks around the first line stay at the top. */
export const stickyScroll = { enabled: true, maxLineCount: 2 };

/** How every text is shown. */
export function optionsFor({ model, path }: Document): monaco.editor.IStandaloneEditorConstructionOptions {
  return {
    model,
    automaticLayout: true,
    fontFamily: getComputedStyle(window.document.documentElement).getPropertyValue('--font-mono'),
    fontLigatures: false,
    lineHeight: 20,
    tabSize: 2,
    glyphMargin: true,
    lineDecorationsWidth: 6,
    lineNumbersMinChars: 4,
    minimap: { enabled: false },
    guides: { indentation: false },
    scrollBeyondLastLine: false,
    // Dimmed, the number of an empty last line could not be read.
    renderFinalNewline: 'on',
    scrollbar: { verticalScrollbarSize: 10, horizontalScrollbarSize: 10, useShadows: false },
    renderLineHighlight: 'line',
    renderLineHighlightOnlyWhenFocus: false,
    overviewRulerBorder: false,
    hideCursorInOverviewRuler: true,
    'semanticHighlighting.enabled': true,
    stickyScroll,
    fixedOverflowWidgets: true,
    padding: { top: 4 },
    ariaLabel: path,
    quickSuggestions: { strings: true, other: true, comments: false },
    suggest: { showWords: false, snippetsPreventQuickSuggestions: false },
    suggestFontSize: 12,
    suggestLineHeight: 24,
    inlayHints: { fontSize: 11, padding: true },
    lightbulb: { enabled: monaco.editor.ShowLightbulbIconMode.OnCode },
    gotoLocation: { multipleDefinitions: 'peek', multipleReferences: 'peek' },
  };
}

/** Documentation is shown beside suggestions from the start; the editor remembers when a person closes it. */
export function showSuggestionDocumentation(): void {
  StandaloneServices.get(IStorageService).store('expandSuggestionDocs', true, 0, 0);
}
