import { closest } from '../text/index.ts';
import type { Link } from './decode-context.ts';
import type { SourcedItem } from './items.ts';
import type { Project } from './project.ts';
import type { Report } from './report.ts';

/**
 * Checks that every reference names something. `connector` and `storage` are kinds of their own: a storage is a
 * connector whose spec says that it can hold a cache.
 */
export function checkLinks(
  links: readonly Link[],
  project: Project,
  definitions: ReadonlyMap<string, ReadonlyMap<string, readonly SourcedItem[]>>,
  report: Report,
): void {
  const declared = declaredConnectors(project);
  const known = new Map<string, ReadonlySet<string>>();
  const namesOf = (kind: string): readonly string[] => {
    if (kind === 'connector') return declared;
    if (kind === 'storage')
      return [...project.connectors.values()].filter(({ spec }) => spec?.storage).map(({ name }) => name);
    const blocks = definitions.get(kind);
    if (blocks) return [...blocks.keys()];
    const { blocks: words, provided } = project.vocabulary;
    const spec = words[kind];
    return [...(spec ? project.all(kind, spec).map(({ name }) => name) : []), ...(provided?.[kind] ?? [])];
  };
  for (const { refersTo, name, origin } of links) {
    const names = known.get(refersTo) ?? new Set(namesOf(refersTo));
    known.set(refersTo, names);
    if (names.has(name)) continue;
    const what = refersTo === 'storage' ? 'cache connector' : refersTo;
    if (refersTo === 'storage' && declared.includes(name)) {
      report('not-a-storage', `connector "${name}" is not a cache, so nothing can be stored in it`, origin, {
        help:
          names.size > 0
            ? `These are: ${[...names].join(', ')}.`
            : `Declare a connector with ${storageTypes(project)}.`,
      });
      continue;
    }
    const near = closest(name, names);
    const all = names.size > 0 ? `These exist: ${[...names].join(', ')}.` : `There is no ${what} at all yet.`;
    report(
      `unknown-${refersTo === 'storage' ? 'connector' : refersTo.replaceAll('_', '-')}`,
      `there is no ${what} named "${name}"`,
      origin,
      {
        help: near ? `Did you mean "${near}"? ${all}` : all,
        ...(near ? { fix: { title: `Change to "${near}"`, edits: [{ range: origin.range, text: `"${near}"` }] } } : {}),
      },
    );
  }
}

/**
 * Names of all connector blocks, those included that could not be decoded: they are reported once, where they are
 * written.
 */
function declaredConnectors(project: Project): readonly string[] {
  return project.files.flatMap(({ body }) =>
    body.items.flatMap((item) =>
      item.kind === 'block' && item.type.text === 'connector' ? (item.labels[0]?.text ?? []) : [],
    ),
  );
}

/** The types of connectors that store something, as they are written. */
function storageTypes({ vocabulary }: Project): string {
  const types = new Set(vocabulary.connectors.filter(({ storage }) => storage).map(({ type }) => `type = "${type}"`));
  return [...types].join(' or ');
}
