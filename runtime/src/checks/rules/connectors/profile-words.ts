import type { ConnectorDeclaration, Project, ProjectRule, Report } from '@svc/protocol/model';
import { addedWords, type BlockSpec, isWritten, originOf, takesWord, type Values } from '@svc/protocol/schema';
import { specsOf } from '../../../connectors/core/declaration.ts';

type Body = Values<BlockSpec> & Readonly<Record<string, unknown>>;

/**
 * A block that names a connector with profiles may write what any of them takes, and a profile ignores what it does not
 * know. The default profile is asked whenever nothing else is selected, so that it must know every word; of the others it
 * is a warning, since a block may mean only some of them.
 */
export const checkProfileWords: ProjectRule = (project, report) => {
  const { vocabulary, connectors } = project;
  if ([...connectors.values()].every(({ profiles }) => profiles.size === 0)) return;
  for (const [word, spec] of Object.entries(vocabulary.blocks))
    for (const body of bodiesOf(word, spec, project)) checkBody(word, spec, body, connectors, report);
};

function bodiesOf(word: string, spec: BlockSpec, project: Project): readonly Body[] {
  if (spec.label !== undefined) return project.all(word, spec).map(({ values }) => values as Body);
  const single = project.one(word, spec);
  return single === undefined ? [] : [single as Body];
}

function checkBody(word: string, spec: BlockSpec, body: Body, connectors: Project['connectors'], report: Report): void {
  if (spec.dependent) {
    const connector = connectors.get(String(body[spec.dependent.by] ?? ''));
    if (connector && connector.profiles.size > 0) checkWords(word, spec.dependent, body, connector, report);
  }
  for (const [name, inner] of Object.entries(spec.blocks))
    for (const each of [body[name] ?? []].flat()) checkBody(name, inner, each as Body, connectors, report);
}

function checkWords(
  block: string,
  dependent: NonNullable<BlockSpec['dependent']>,
  body: Body,
  connector: ConnectorDeclaration,
  report: Report,
): void {
  const { default: standard } = connector.values as { readonly default?: unknown };
  for (const word of addedWords(dependent, specsOf(connector)).filter((one) => isWritten(body, one)))
    for (const { name, spec } of connector.profiles.values()) {
      if (spec === undefined || takesWord(spec, dependent.at, word)) continue;
      const kind = [spec.type, spec.driver].filter(Boolean).join(' ');
      const severity = name === standard ? 'error' : 'warning';
      report(
        'ignored-by-profile',
        `profile "${name}" (${kind}) of connector "${connector.name}" takes no ${word}, which ${block} writes`,
        originOf(body, word),
        { severity, help: `Write operation "name" into each profile, and name it in ${block} instead of ${word}.` },
      );
    }
}
