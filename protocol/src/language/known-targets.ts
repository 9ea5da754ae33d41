import type { ConnectorDeclaration } from '../model/index.ts';
import type { AttributeSpec } from '../schema/index.ts';
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

/** Whether an attribute names something that a running service knows at the server of a connector. */
export function namesKnown(attribute: AttributeSpec | undefined, connector: ConnectorDeclaration | undefined): boolean {
  if (attribute?.atConnector === true) return true;
  return attribute?.refersTo === 'operation' && connector?.spec?.target?.knowsOperations === true;
}

/**
 * Columns that the fields of a body may be written to: those of what the block around it names; of what a flow shapes,
 * those of what its destinations name. None elsewhere.
 */
export function columnsFor(
  body: WrittenBody,
  { written }: FileState,
  { known, project }: Pick<ProjectState, 'known' | 'project'>,
  { outline }: Pick<LanguageSupport, 'outline'>,
): readonly string[] {
  const { outer, spec } = body;
  if (known.size === 0 || outer === undefined || spec?.fields === undefined || spec.keys !== undefined) return [];
  const asked = connectorsAsked(written.values);
  const columnsOf = (block: WrittenBody) => {
    const connector = asked.get(block);
    if (connector === undefined) return undefined;
    const declared = project.connectors.get(connector);
    const names = written.values
      .filter((value) => value.body === block && namesKnown(value.spec, declared))
      .flatMap(({ value }) => literalText(value) ?? []);
    return known.get(connector)?.find((target) => names.includes(target.name))?.columns;
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
