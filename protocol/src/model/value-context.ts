import type { DecodeContext } from './decode-context.ts';
import type { SourcedItem } from './items.ts';

/** How values of an item are read; what is wrong with them begins with `subject`. */
export function valueContext(
  subject: string,
  sourced: SourcedItem,
  context: DecodeContext,
  onUnset?: (name: string, range: { start: number; end: number }) => void,
) {
  return {
    subject,
    file: sourced.file,
    text: sourced.text,
    report: context.report,
    expressionFunctions: context.expressionFunctions,
    scope: { host: context.host, variables: context.variables, onUnset },
  };
}
