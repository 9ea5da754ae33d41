import { functionDocumentation } from '@svc/protocol/cel';
import { loadProject, type Project } from '@svc/protocol/model';
import type { Diagnostic } from '@svc/protocol/text';
import { projectRules } from '../../project-rules.ts';
import { vocabulary } from '../../vocabulary.ts';

export interface Surroundings {
  readonly environment?: Readonly<Record<string, string>>;
  /** Texts that `file()` finds, by path. */
  readonly files?: Readonly<Record<string, string>>;
  /** Files that are below the working directory alone. */
  readonly elsewhere?: readonly string[];
}

const expressionFunctions = functionDocumentation.map(({ name }) => name);

/** Reads configuration texts by path, as every command does. A single text is that of `main.hcl`. */
export function projectOf(
  written: string | Readonly<Record<string, string>>,
  { environment = {}, files = {}, elsewhere = [] }: Surroundings = {},
): Project {
  const texts = typeof written === 'string' ? { 'main.hcl': written } : written;
  return loadProject(
    Object.entries(texts).map(([path, text]) => ({ path, text })),
    {
      vocabulary,
      expressionFunctions,
      host: {
        env: (name) => environment[name],
        readFile: (path) => {
          const text = files[path];
          if (text === undefined) throw new Error(`the file ${path} cannot be read: it does not exist`);
          return text;
        },
        absolutePath: (path) => `/configuration/${path}`,
        misplacedFile: (path) => (elsewhere.includes(path) ? `/working/${path}` : undefined),
        missingFile: (path) => (files[path] === undefined ? `/configuration/${path}` : undefined),
      },
    },
    projectRules,
  );
}

/** `code «marked text»` of every problem in order, with its severity in front when it is not an error. */
export function problemsOf(written: string | Readonly<Record<string, string>>, around: Surroundings = {}): string[] {
  const { files, diagnostics } = projectOf(written, around);
  return diagnostics.map((one) => {
    const text = files.find(({ file }) => file === one.file)?.text ?? '';
    const marked = text.slice(one.range.start, one.range.end);
    return `${one.severity === 'error' ? '' : `${one.severity} `}${one.code} «${marked}»`;
  });
}

/** The only problem of a code, whole. Throws unless there is exactly one. */
export function problemOf(
  code: string,
  written: string | Readonly<Record<string, string>>,
  around: Surroundings = {},
): Diagnostic {
  const { diagnostics } = projectOf(written, around);
  const [found, ...more] = diagnostics.filter((one) => one.code === code);
  if (!found || more.length > 0)
    throw new Error(`${code} once, not in: ${diagnostics.map((one) => `${one.code}: ${one.message}`).join('\n')}`);
  return found;
}
