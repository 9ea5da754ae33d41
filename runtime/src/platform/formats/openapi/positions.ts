import { isMap, isNode, isScalar, parseDocument } from 'yaml';

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

/** Where the key of a member is, else where an element is. */
function rangeAt(document: ReturnType<typeof parseDocument>, path: readonly string[]): number | undefined {
  const around: unknown = path.length === 1 ? document.contents : document.getIn(path.slice(0, -1), true);
  const pair = isMap(around)
    ? around.items.find(({ key }) => isScalar(key) && String(key.value) === path.at(-1))
    : undefined;
  const found: unknown = pair === undefined ? document.getIn(path, true) : pair.key;
  return isNode(found) ? found.range?.[0] : undefined;
}

function lineEnd(text: string, start: number): number {
  const end = text.indexOf('\n', start);
  return end < 0 ? text.length : end;
}
