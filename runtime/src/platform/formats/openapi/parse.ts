import { LineCounter, parseAllDocuments, YAMLParseError } from 'yaml';
import { NoOpenApi } from './no-openapi.ts';

/** Levels of objects and lists in each other, and values in one document, with what aliases repeat. */
export const deepest = 200;
export const mostValues = 1_000_000;

/** How often what an alias names may be repeated, all aliases multiplied: a small document may not become a huge one. */
const mostAliases = 100;

/**
 * The value of a document of JSON or YAML (version 1.2, with the merge key of 1.1). Throws NoOpenApi for what is neither, or
 * more than `deepest` or `mostValues`.
 */
export function parseDescription(text: string, file: string | undefined): unknown {
  const value = text.trimStart().startsWith('{') ? parseJson(text, file) : parseYaml(text, file);
  checkExtent(value, file);
  return value;
}

/** A YAML document may begin with `{` too: it is read as such when it is not JSON. */
function parseJson(text: string, file: string | undefined): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return parseYaml(text, file);
  }
}

function parseYaml(text: string, file: string | undefined): unknown {
  const lineCounter = new LineCounter();
  try {
    const documents = parseAllDocuments(text, { lineCounter, merge: true, prettyErrors: false, logLevel: 'silent' });
    const [document] = documents as Extract<typeof documents, readonly unknown[]>;
    if (document === undefined) throw new NoOpenApi('it is empty', undefined, file);
    if (documents.length > 1) throw new NoOpenApi('it has several documents; keep the one of OpenAPI', undefined, file);
    const [problem] = document.errors;
    if (problem !== undefined) throw problem;
    return document.toJS({ maxAliasCount: mostAliases });
  } catch (error) {
    if (error instanceof NoOpenApi) throw error;
    if (error instanceof YAMLParseError) {
      const { line } = lineCounter.linePos(error.pos[0]);
      throw new NoOpenApi(`it is neither JSON nor YAML: ${sentence(error.message)}`, line, file);
    }
    // The parser calls itself for each level.
    if (error instanceof RangeError) throw new NoOpenApi(`it has more than ${deepest} levels`, undefined, file);
    if (error instanceof ReferenceError)
      throw new NoOpenApi(
        `aliases in it repeat too much, or name nothing: ${sentence(error.message)}`,
        undefined,
        file,
      );
    throw error;
  }
}

function sentence(message: string): string {
  const [line = ''] = message.split('\n');
  return line.length > 200 ? `${line.slice(0, 200)}…` : line;
}

/** Counts without calling itself, and what is repeated as often as it is. */
function checkExtent(value: unknown, file: string | undefined): void {
  let count = 0;
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > deepest) throw new NoOpenApi(`it has more than ${deepest} levels`, undefined, file);
    const next: unknown[] = [];
    for (const each of level) {
      if (typeof each !== 'object' || each === null) continue;
      const inner = Object.values(each);
      count += inner.length;
      if (count > mostValues) throw new NoOpenApi(`it has more than ${mostValues} values`, undefined, file);
      for (const one of inner) next.push(one);
    }
    level = next;
  }
}
