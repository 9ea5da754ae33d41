import { isNode, parseDocument } from 'yaml';

/** Finds places of a document of JSON or YAML in its text: the range of a pointer, or of the nearest value around it. */
export function positionsIn(text: string): (pointer: string) => { readonly start: number; readonly end: number } {
  const document = parseDocument(text, { merge: true, logLevel: 'silent', prettyErrors: false, uniqueKeys: false });
  return (pointer) => {
    const path = pointer
      .split('/')
      .slice(1)
      .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
    for (let length = path.length; length > 0; length--) {
      const start = rangeAt(document, path.slice(0, length));
      if (start !== undefined) return { start, end: lineEnd(text, start) };
    }
    return { start: 0, end: lineEnd(text, 0) };
  };
}

function rangeAt(document: ReturnType<typeof parseDocument>, path: readonly string[]): number | undefined {
  const found: unknown = document.getIn(path, true);
  return isNode(found) ? found.range?.[0] : undefined;
}

function lineEnd(text: string, start: number): number {
  const end = text.indexOf('\n', start);
  return end < 0 ? text.length : end;
}
