import { functionDocumentation } from '@svc/protocol/cel';
import { loadProject, type Project, type ProjectRule } from '@svc/protocol/model';
import { vocabulary } from '@svc/runtime/vocabulary';
import { projectRules } from '../../runtime/src/checks/project-rules.ts';

const expressionFunctions = functionDocumentation.map(({ name }) => name);

/** Reads texts as every command does, on a machine without files, where every variable has the value `variable`. */
export function check(
  texts: Readonly<Record<string, string>>,
  variable?: string,
  further: readonly ProjectRule[] = [],
): Project {
  const host = {
    env: () => variable,
    readFile: (path: string) => {
      throw new Error(`the file ${path} cannot be read`);
    },
    absolutePath: (path: string) => `/${path}`,
  };
  const files = Object.entries(texts).map(([path, text]) => ({ path, text }));
  return loadProject(files, { vocabulary, host, expressionFunctions }, [...projectRules, ...further]);
}
