import type { ConnectorDeclaration, Project } from '@svc/protocol/model';
import type { Diagnostic } from '@svc/protocol/text';
import { loadFileCheck } from '../connectors/registry.ts';
import { originOfPlace, publishedOf } from '../rules/connectors/published.ts';

/** Problems of the files that blocks of connectors name, and the texts of these files by their paths. */
export interface FileProblems {
  readonly diagnostics: readonly Diagnostic[];
  readonly texts: ReadonlyMap<string, string>;
}

/**
 * Checks the files that connectors publish types from; the code for it is loaded only where a connector may name such a
 * file. `read` throws an Error that says why a file cannot be read.
 */
export async function checkNamedFiles(project: Project, read: (path: string) => string): Promise<FileProblems> {
  const diagnostics: Diagnostic[] = [];
  const texts = new Map<string, string>();
  const reading = (path: string) => {
    const text = read(path);
    texts.set(path.replaceAll('\\', '/').replace(/^(\.\/)+/, ''), text);
    return text;
  };
  for (const { connector, published } of publishedOf(project).filter(({ connector }) => hasFiles(connector))) {
    const check = await loadFileCheck(connector.spec as NonNullable<ConnectorDeclaration['spec']>);
    for (const { at, severity = 'error', code, message, help } of check(published, reading)) {
      const { file, range } = originOfPlace(at, project, connector);
      const { start, end } = range;
      diagnostics.push({ code, severity, family: 'config', message, file, range: { start, end }, help });
    }
  }
  return { diagnostics, texts };
}

/** Whether the connector says something of a schema in a file. */
function hasFiles({ spec, values }: ConnectorDeclaration): boolean {
  return spec?.source?.checksFiles === true && 'schema' in values && values.schema !== undefined;
}
