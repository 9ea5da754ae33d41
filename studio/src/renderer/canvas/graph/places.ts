import type {
  Outline,
  OutlineAspect,
  OutlineConnector,
  OutlineFlow,
  OutlineRule,
  OutlineStage,
} from '@svc/protocol/language';
import type { ConnectorKind } from '@svc/protocol/schema';
import type { StopPlace } from '../../debug/breakpoints/breakpoints.ts';
import { sagaStepOf } from './titles.ts';

/** Something of an outline that can be selected, with what it is in. */
export interface OutlinePlace {
  /** Of the connector, flow, stage or rule; see `ruleId`. */
  readonly id: string;
  readonly file: string;
  readonly start: number;
  readonly end: number;
  readonly connector?: OutlineConnector | undefined;
  readonly flow?: OutlineFlow | undefined;
  readonly stage?: OutlineStage | undefined;
  readonly rule?: OutlineRule | undefined;
  readonly aspect?: OutlineAspect | undefined;
  /** The kind of the connector that a stage hands to or asks. */
  readonly kind?: ConnectorKind | undefined;
}

export function ruleId(stage: OutlineStage, rule: OutlineRule): string {
  return `${stage.id}/rule ${rule.index}`;
}

/** Every place of an outline by its id, in the order in which they are drawn. */
export function placesOf(outline: Outline): ReadonlyMap<string, OutlinePlace> {
  const { connectors, flows } = outline;
  const kinds = kindsOfStages(outline);
  const places = new Map<string, OutlinePlace>();
  const add = (place: OutlinePlace) => places.set(place.id, place);
  for (const connector of connectors) add({ ...placed(connector), connector });
  for (const flow of flows) {
    add({ ...placed(flow), flow });
    for (const stage of flow.stages) {
      add({ ...placed(stage), flow, stage, kind: kinds.get(stage.id) });
      for (const rule of stage.rules) add({ ...placed({ ...rule, id: ruleId(stage, rule) }), flow, stage, rule });
    }
  }
  for (const aspect of outline.aspects) add({ ...placed(aspect), aspect });
  return places;
}

/** The kind of the connector that each stage asks or hands to. */
export function kindsOfStages({ connectors, edges }: Outline): ReadonlyMap<string, ConnectorKind> {
  const byId = new Map(connectors.map(({ id, kind }) => [id, kind]));
  const kinds = new Map<string, ConnectorKind>();
  for (const { stage, connector, direction } of edges) {
    const kind = byId.get(connector);
    if (stage !== undefined && direction === 'out' && kind !== undefined && !kinds.has(stage)) kinds.set(stage, kind);
  }
  return kinds;
}

function placed({ id, file, range }: { id: string; file: string; range: { start: number; end: number } }) {
  return { id, file, start: range.start, end: range.end };
}

/** The innermost place around an offset; the first where a definition is used in several flows. */
export function placeAt(
  places: ReadonlyMap<string, OutlinePlace>,
  file: string,
  offset: number,
): OutlinePlace | undefined {
  let found: OutlinePlace | undefined;
  for (const place of places.values()) {
    if (place.file !== file || offset < place.start || offset > place.end) continue;
    if (place.connector?.declared === false) continue;
    if (found === undefined || place.end - place.start < found.end - found.start) found = place;
  }
  return found;
}

/** What a breakpoint at a place names; undefined where the flow cannot stop. */
export function stopPlaceOf({ flow, stage, rule }: OutlinePlace): StopPlace | undefined {
  if (flow === undefined || stage?.stage === undefined) return undefined;
  return { flow: flow.name, stage: stage.stage, name: stage.name, ruleIndex: rule?.index ?? -1 };
}

/** What to call a stage: its word, with its label or what it leads to. */
export function titleOfStage(stage: OutlineStage): string {
  const { word, name, detail, family } = stage;
  const of = sagaStepOf(stage) ?? (name || (family === 'deliver' ? detail : ''));
  if (of === word) return word;
  return of === '' ? word : `${word} ${of}`;
}
