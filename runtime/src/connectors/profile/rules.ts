import type { ConnectorDeclaration } from '@svc/protocol/model';
import { originOf, type Values } from '@svc/protocol/schema';
import { closest, type Diagnostic } from '@svc/protocol/text';
import type { profiled } from './spec.ts';

/** Names in `default` and `fallback` that no `profile` block has. Pure: it runs on every edit. */
export function checkProfiles(connector: ConnectorDeclaration): readonly Diagnostic[] {
  const values = connector.values as unknown as Values<typeof profiled>;
  const known = [...connector.profiles.keys()];
  // That there is no profile at all is reported where the block is read.
  if (known.length === 0) return [];
  const problems: Diagnostic[] = [];
  const check = (attribute: 'default' | 'fallback', name: string) => {
    if (connector.profiles.has(name)) return;
    const meant = closest(name, known);
    const { file, range } = originOf(values, attribute);
    problems.push({
      code: 'unknown-profile',
      severity: 'error',
      family: 'config',
      message: `connector "${connector.name}" has no profile "${name}"`,
      file,
      range,
      help: meant === undefined ? `Write one of ${known.join(', ')}.` : `Did you mean "${meant}"?`,
    });
  };
  if (values.default !== undefined) check('default', values.default);
  for (const name of values.fallback ?? []) check('fallback', name);
  return problems;
}
