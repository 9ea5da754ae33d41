import { literalText } from '../syntax/index.ts';
import { connectorsAsked } from './names.ts';
import type { FileState, ProjectState } from './states.ts';
import { type LanguageSupport, type OutlineSupport, placesOf, type StageFamily } from './support.ts';
import { rootOf, type WrittenBody } from './written.ts';

/** The connector at which a value of a body names something: the one that the body asks, or the one around it. */
export function connectorAt(body: WrittenBody, { written }: FileState): string | undefined {
  const asked = connectorsAsked(written.values).get(body);
  return asked ?? (body.connector && rootOf(body)?.block?.labels[0]?.text);
}

/**
 * Columns that the fields of a body may be written to: those of what the block around it names; of what a flow shapes,
 * those of what its destinations name. None elsewhere.
 */
export function columnsFor(
  body: WrittenBody,
  { written }: FileState,
  { known }: Pick<ProjectState, 'known'>,
  { outline }: Pick<LanguageSupport, 'outline'>,
): readonly string[] {
  const { outer, spec } = body;
  if (known.size === 0 || outer === undefined || spec?.fields === undefined || spec.keys !== undefined) return [];
  const asked = connectorsAsked(written.values);
  const named = written.values.filter(({ spec: said }) => said?.atConnector === true);
  const columnsOf = (block: WrittenBody) => {
    const name = literalText(named.find((value) => value.body === block)?.value);
    const connector = asked.get(block);
    if (connector === undefined || name === undefined) return undefined;
    return known.get(connector)?.find((target) => target.name === name)?.columns;
  };
  const own = columnsOf(outer);
  if (own !== undefined || !isOf('shape', body, outline)) return own ?? [];
  const destinations = written.bodies.filter((each) => each.outer === outer && isOf('deliver', each, outline));
  return [...new Set(destinations.flatMap((each) => columnsOf(each) ?? []))];
}

/** Whether a block is a stage of this family, directly in a root block that is drawn as a flow. */
function isOf(family: StageFamily, { block, outer }: WrittenBody, outline: OutlineSupport): boolean {
  const root = outer?.outer !== undefined && outer.outer.outer === undefined ? outer.block : undefined;
  const places = root === undefined ? [] : (placesOf(outline, root.type.text) ?? []);
  return places.some(
    (place) => place.family === family && place.path.length === 1 && place.path[0] === block?.type.text,
  );
}
