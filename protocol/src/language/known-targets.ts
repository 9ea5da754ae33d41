import { literalText } from '../syntax/index.ts';
import { connectorsAsked } from './names.ts';
import type { FileState, ProjectState } from './states.ts';
import { rootOf, type WrittenBody } from './written.ts';

/** The connector at which a value of a body names something: the one that the body asks, or the one around it. */
export function connectorAt(body: WrittenBody, { written }: FileState): string | undefined {
  const asked = connectorsAsked(written.values).get(body);
  return asked ?? (body.connector && rootOf(body)?.block?.labels[0]?.text);
}

/** Columns that the fields of a body may be written to: those of what the block around it names; none elsewhere. */
export function columnsFor(
  { outer, spec }: WrittenBody,
  { written }: FileState,
  { known }: Pick<ProjectState, 'known'>,
): readonly string[] {
  if (known.size === 0 || outer === undefined || spec?.fields === undefined || spec.keys !== undefined) return [];
  const connector = connectorsAsked(written.values).get(outer);
  const named = written.values.find((value) => value.body === outer && value.spec?.atConnector === true);
  const name = literalText(named?.value);
  if (connector === undefined || name === undefined) return [];
  return known.get(connector)?.find((target) => target.name === name)?.columns ?? [];
}
