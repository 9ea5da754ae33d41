import { createHash } from 'node:crypto';
import type { ConnectorDeclaration, Project } from '@svc/protocol/model';
import type { Diagnostic } from '@svc/protocol/text';
import { loadFileCheck } from '../../connectors/registry.ts';
import { originOfPlace, publishedOf } from './published.ts';

/** Problems of the files that blocks of connectors name, and the texts of these files by their paths. */
export interface FileProblems {
  readonly diagnostics: readonly Diagnostic[];
  readonly texts: ReadonlyMap<string, string>;
  /** Of each connector that calls what files describe, a text that is equal for equal files. */
  readonly digests: ReadonlyMap<string, string>;
}

/**
 * Checks the files that connectors publish types from; the code for it is loaded only where a connector may name such a
 * file. `read` throws an Error that says why a file cannot be read, and `list` one that says why the `.proto` files of a folder
 * cannot be listed.
 */
export async function checkNamedFiles(
  project: Project,
  read: (path: string) => string,
  list: (folder: string) => readonly string[],
): Promise<FileProblems> {
  const diagnostics: Diagnostic[] = [];
  const texts = new Map<string, string>();
  const digests = new Map<string, string>();
  const publishers = publishedOf(project).filter(({ connector }) => hasFiles(connector));
  for (const { name, connector, isSelected, published } of publishers) {
    const check = await loadFileCheck(connector.spec as NonNullable<ConnectorDeclaration['spec']>);
    const digest = createHash('sha256');
    const reading = (path: string) => {
      const text = read(path);
      texts.set(path.replaceAll('\\', '/').replace(/^(\.\/)+/, ''), text);
      digest.update(JSON.stringify([path, text]));
      return text;
    };
    for (const { at, severity: own = 'error', code, message, help } of check(published, reading, list)) {
      // As with other words that a profile does not take: its uses may never select it.
      const severity = isSelected && at.of === 'call' && own === 'error' ? 'warning' : own;
      const { file, range } = originOfPlace(at, project, connector);
      const { start, end } = range;
      diagnostics.push({ code, severity, family: 'config', message, file, range: { start, end }, help });
    }
    // A server reads them with every generation.
    if (connector.spec?.target?.checksFiles === true)
      digests.set(name, `${digests.get(name) ?? ''}${digest.digest('base64url')}`);
  }
  return { diagnostics, texts, digests };
}

/** Whether the connector says something of a schema in files: a block `schema` does, where it has one. */
function hasFiles({ spec, values }: ConnectorDeclaration): boolean {
  if ((spec?.source ?? spec?.target)?.checksFiles !== true || spec === undefined) return false;
  return !Object.hasOwn(spec.config.blocks, 'schema') || ('schema' in values && values.schema !== undefined);
}
