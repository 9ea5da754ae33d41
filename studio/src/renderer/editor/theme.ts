import type { Theme } from '../preferences/theme.ts';
import { monaco } from '../project/monaco.ts';

/** Colours of the editor, by the names that Monaco has for them, and the tokens they are taken from. */
const colours = {
  'editor.background': 'surface-island',
  'editor.foreground': 'text-code',
  'editorLineNumber.foreground': 'text-3',
  'editorLineNumber.activeForeground': 'line-number-active',
  'editor.lineHighlightBackground': 'line-current',
  'editor.selectionBackground': 'selection',
  'editorCursor.foreground': 'accent',
  'editorWidget.background': 'surface-popover',
  'editorWidget.border': 'border-strong',
  'editorHoverWidget.background': 'surface-popover',
  'editorHoverWidget.border': 'border-strong',
  'editorSuggestWidget.background': 'surface-popover',
  'editorSuggestWidget.border': 'border-strong',
  'editorSuggestWidget.selectedBackground': 'surface-selected',
  'editorSuggestWidget.selectedForeground': 'text-1',
  'editorSuggestWidget.foreground': 'text-1',
  'editorSuggestWidget.highlightForeground': 'accent',
  'editorSuggestWidget.focusHighlightForeground': 'accent',
  'editorError.foreground': 'error',
  'editorWarning.foreground': 'warning',
  'editorInfo.foreground': 'info',
  'editorOverviewRuler.errorForeground': 'error',
  'editorOverviewRuler.warningForeground': 'warning',
  'editorOverviewRuler.infoForeground': 'info',
  'editorLightBulb.foreground': 'accent',
  'editorLightBulbAutoFix.foreground': 'accent',
  'peekViewEditor.background': 'surface-sunken',
  'peekViewEditorGutter.background': 'surface-sunken',
  'peekViewEditorStickyScroll.background': 'surface-sunken',
  'peekViewEditor.matchHighlightBackground': 'match',
  'peekViewResult.background': 'surface-island',
  'peekViewResult.fileForeground': 'text-1',
  'peekViewResult.lineForeground': 'text-2',
  'peekViewResult.selectionBackground': 'surface-selected',
  'peekViewResult.selectionForeground': 'text-1',
  'peekViewResult.matchHighlightBackground': 'match',
  'peekViewTitle.background': 'surface-raised',
  'peekViewTitleLabel.foreground': 'text-1',
  'peekViewTitleDescription.foreground': 'text-3',
  'peekView.border': 'accent',
  'editorMarkerNavigation.background': 'surface-popover',
  'editorHoverWidget.highlightForeground': 'accent',
  'editorHoverWidget.foreground': 'text-1',
  'editorHoverWidget.statusBarBackground': 'surface-raised',
  'textLink.foreground': 'accent',
  'textLink.activeForeground': 'accent',
  'textCodeBlock.background': 'surface-raised',
  'editorWidget.foreground': 'text-1',
  'editorGutter.background': 'surface-island',
  'editorStickyScroll.background': 'surface-island',
  'editorStickyScrollHover.background': 'surface-hover',
  'editorIndentGuide.background1': 'border-faint',
  'editorIndentGuide.activeBackground1': 'border',
  'editorInlayHint.foreground': 'text-3',
  'editorBracketMatch.border': 'border-control',
  'editorBracketMatch.background': 'surface-active',
  'editor.findMatchBackground': 'match',
  'editor.findMatchHighlightBackground': 'match',
  'scrollbarSlider.background': 'scrollbar',
  'list.hoverBackground': 'surface-hover',
  'list.activeSelectionBackground': 'surface-selected',
  'list.focusBackground': 'surface-selected',
  'input.background': 'surface-input',
  'input.foreground': 'text-1',
  'input.border': 'border-strong',
  'menu.background': 'surface-popover',
  'menu.foreground': 'text-1',
  'menu.border': 'border-strong',
  'menu.selectionBackground': 'surface-selected',
  'menu.selectionForeground': 'text-1',
  'inputValidation.infoBackground': 'surface-popover',
  'inputValidation.infoForeground': 'text-1',
  'inputValidation.infoBorder': 'border-strong',
  'inputOption.activeBackground': 'surface-selected',
  'inputOption.activeForeground': 'text-1',
  'editorActionList.background': 'surface-popover',
  'editorActionList.foreground': 'text-1',
  'editorActionList.focusBackground': 'surface-selected',
  'editorActionList.focusForeground': 'text-1',
  'editor.wordHighlightBackground': 'surface-active',
  'editor.wordHighlightStrongBackground': 'surface-active',
  'editor.wordHighlightTextBackground': 'surface-active',
  focusBorder: 'focus',
} as const;

const rules = {
  keyword: 'syn-block',
  type: 'syn-label',
  property: 'syn-attr',
  string: 'syn-string',
  number: 'syn-number',
  constant: 'syn-bool',
  variable: 'syn-root',
  field: 'syn-field',
  parameter: 'syn-field',
  function: 'syn-fn',
  method: 'syn-fn',
  operator: 'syn-op',
  delimiter: 'syn-punct',
  comment: 'syn-comment',
} as const;

/** Makes the editor's theme from the computed tokens, so that one file themes everything. */
export function applyEditorTheme(theme: Theme): void {
  const computed = getComputedStyle(document.documentElement);
  const value = (token: string) => hex(computed.getPropertyValue(`--${token}`).trim());
  const name = `svc-${theme}`;
  monaco.editor.defineTheme(name, {
    base: base(theme),
    inherit: true,
    colors: {
      // What is not written has no plate: only expressions lie on one.
      'editorInlayHint.background': '#00000000',
      ...Object.fromEntries(
        Object.entries(colours).flatMap(([colour, token]) => {
          const found = value(token);
          return found === undefined ? [] : [[colour, found]];
        }),
      ),
    },
    rules: Object.entries(rules).flatMap(([token, from]) => {
      const foreground = value(from);
      return foreground ? [{ token, foreground: foreground.slice(1) }] : [];
    }),
  });
  monaco.editor.setTheme(name);
}

function base(theme: Theme) {
  const names = { dark: 'vs-dark', light: 'vs', 'hc-dark': 'hc-black', 'hc-light': 'hc-light' } as const;
  return names[theme];
}

/** `#rgb`, `#rrggbb` and `#rrggbbaa` are taken; anything else is left to the base theme. */
function hex(text: string): string | undefined {
  if (/^#[\da-f]{3}$/i.test(text)) return `#${[...text.slice(1)].map((digit) => digit + digit).join('')}`;
  return /^#([\da-f]{6}|[\da-f]{8})$/i.test(text) ? text : undefined;
}
