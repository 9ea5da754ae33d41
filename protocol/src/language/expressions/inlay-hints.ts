import { typeName } from '../../cel/index.ts';
import { type Range, touches } from '../../text/index.ts';
import type { FileState, ProjectState } from '../states.ts';
import type { LanguageSupport } from '../support.ts';
import type { WrittenValue } from '../written.ts';
import { embeddedIn } from './embedded.ts';
import { variablesRead } from './scope.ts';

/** What an editor shows behind a value without it being written. */
export interface InlayHint {
  /** The end of the value. */
  readonly offset: number;
  readonly label: string;
  readonly kind: 'type' | 'operation';
  /** Markdown. */
  readonly tooltip?: string;
}

/** Letters of an operation that are shown; the tooltip has all. */
const longest = 60;

/**
 * Types of the fields that expressions build, where the type is known and the expression does not show it, and what the
 * named operations of connectors mean. Those inside a range, in the order of their places.
 */
export function inlayHints(
  file: FileState,
  range: Range,
  state: ProjectState,
  support: LanguageSupport,
): readonly InlayHint[] {
  const operations = file.names.flatMap((name) => {
    if (name.kind !== 'operation' || name.declares !== undefined || !touches(range, name.range.end)) return [];
    return operationHint(name.owner as string, name.name, name.range.end + 1, state, support);
  });
  const types = file.written.values.flatMap((value) =>
    value.isField && value.spec?.kind === 'cel' && value.value && touches(range, value.value.end)
      ? typeHint(value, file, support)
      : [],
  );
  return [...operations, ...types].sort((a, b) => a.offset - b.offset);
}

function operationHint(
  connector: string,
  name: string,
  offset: number,
  { project }: ProjectState,
  support: LanguageSupport,
): InlayHint[] {
  const declared = project.connectors.get(connector);
  const meant = new Set(
    declared ? [declared, ...declared.profiles.values()].map((one) => support.operation(one, name)) : [],
  );
  meant.delete(undefined);
  const [text] = meant;
  // Profiles may mean different things by one name.
  if (text === undefined || meant.size > 1) return [];
  const line = text.trim().replace(/\s+/g, ' ');
  const label = line.length > longest ? `${line.slice(0, longest - 1)}…` : line;
  const tooltip = `operation "${name}" of connector "${connector}"\n\n\`\`\`\n${text.trim()}\n\`\`\``;
  return [{ offset, label, kind: 'operation', tooltip }];
}

function typeHint(value: WrittenValue, file: FileState, support: LanguageSupport): InlayHint[] {
  const [embedded, more] = embeddedIn(value, file.tree.text);
  if (embedded === undefined || more !== undefined || isObvious(embedded.expression.kind)) return [];
  const type = support.typeOf(embedded.source, support.variables(variablesRead(value, embedded.spec)));
  if (type === undefined || type.kind === 'dyn') return [];
  return [{ offset: (value.value as Range).end, label: typeName(type), kind: 'type' }];
}

function isObvious(kind: string): boolean {
  return kind === 'literal' || kind === 'list' || kind === 'map';
}
