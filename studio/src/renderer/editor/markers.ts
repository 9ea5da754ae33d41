import type { Diagnostic } from '@svc/protocol/text';
import { sentenceOf } from '../language/sentence.ts';
import { monaco } from '../project/monaco.ts';
import type { Studio } from '../shell/studio.ts';

const severities = {
  error: monaco.MarkerSeverity.Error,
  warning: monaco.MarkerSeverity.Warning,
  info: monaco.MarkerSeverity.Info,
} as const;

/** Keeps the marks of open texts equal to what the last check found. */
export function showMarkers({ language, project }: Studio): void {
  const draw = () => {
    const byFile = Map.groupBy(language.checked.value.diagnostics, ({ file }) => file);
    for (const [path, document] of project.documents.value) {
      const marks = (byFile.get(path) ?? []).map((diagnostic) => {
        const { start, end } = diagnostic.range;
        return {
          ...document.rangeOf(start, Math.max(end, start + 1)),
          severity: severities[diagnostic.severity],
          message: messageOf(diagnostic),
          code: diagnostic.code,
        };
      });
      monaco.editor.setModelMarkers(document.model, 'svc', marks);
    }
  };
  draw();
  language.checked.subscribe(draw);
  project.documents.subscribe(draw);
}

function messageOf({ message, help }: Diagnostic): string {
  return help === undefined ? sentenceOf(message) : `${sentenceOf(message)}\n${sentenceOf(help)}`;
}
