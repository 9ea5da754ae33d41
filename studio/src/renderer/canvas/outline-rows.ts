import type { Outline, OutlineFlow, StageFamily } from '@svc/protocol/language';
import { families, familyTitles, stagesByFamily } from './graph/families.ts';
import { triggerOf } from './graph/graph.ts';
import { type OutlinePlace, placesOf, ruleId, titleOfStage } from './graph/places.ts';
import { count } from './words.ts';

/** A line of the list: connector, flow, family of stages, stage or rule. */
export interface OutlineRow {
  /** The id of the place; of a family, that of the flow and its name. */
  readonly id: string;
  readonly name: string;
  readonly meta: string;
  /** From 0. */
  readonly depth: number;
  readonly parent: string | undefined;
  /** Undefined where there is nothing below it. */
  readonly isOpen: boolean | undefined;
  readonly position: number;
  readonly siblings: number;
  readonly place: OutlinePlace | undefined;
  readonly family: StageFamily | undefined;
}

type Draft = Omit<OutlineRow, 'depth' | 'parent' | 'position' | 'siblings' | 'isOpen'> & {
  readonly isOpenFirst: boolean;
  readonly below: () => readonly Draft[];
};

/**
 * The lines of an outline: under each connector the flows that take from it, flows without a source after them. `flipped`
 * holds the ids of lines that the person opened or closed: connectors and families begin open, flows and stages closed.
 * While something is sought, lines that have it and those above them are all that is left, unfolded.
 */
export function outlineRows(outline: Outline, flipped: ReadonlySet<string>, sought = ''): readonly OutlineRow[] {
  const places = placesOf(outline);
  const drafts = draftsOf(outline, places);
  const rows: OutlineRow[] = [];
  write(sought === '' ? drafts : filtered(drafts, sought), undefined, 0, sought === '' ? flipped : undefined, rows);
  return rows;
}

function write(
  drafts: readonly Draft[],
  parent: string | undefined,
  depth: number,
  flipped: ReadonlySet<string> | undefined,
  rows: OutlineRow[],
): void {
  drafts.forEach(({ isOpenFirst, below, ...draft }, at) => {
    const inner = below();
    const isOpen = flipped === undefined || flipped.has(draft.id) !== isOpenFirst;
    const place = { depth, parent, position: at + 1, siblings: drafts.length };
    rows.push({ ...draft, ...place, isOpen: inner.length === 0 ? undefined : isOpen });
    if (isOpen) write(inner, draft.id, depth + 1, flipped, rows);
  });
}

function filtered(drafts: readonly Draft[], sought: string): readonly Draft[] {
  return drafts.flatMap((draft) => {
    const inner = filtered(draft.below(), sought);
    const isFound = `${draft.name} ${draft.meta}`.toLowerCase().includes(sought);
    return isFound || inner.length > 0 ? [{ ...draft, below: () => inner }] : [];
  });
}

function draftsOf(outline: Outline, places: ReadonlyMap<string, OutlinePlace>): readonly Draft[] {
  const { connectors, flows, edges } = outline;
  const sourceOf = new Map(
    edges.filter(({ direction }) => direction === 'in').map((edge) => [edge.flow, edge.connector]),
  );
  const out = Map.groupBy(flows, ({ id }) => sourceOf.get(id));
  const into = new Map<string, Set<string>>();
  for (const { direction, connector, flow } of edges)
    if (direction === 'out') into.set(connector, (into.get(connector) ?? new Set()).add(flow));
  const ofConnectors = connectors.map(({ id, name, declared }): Draft => {
    const own = out.get(id) ?? [];
    const used = into.get(id)?.size ?? 0;
    const parts = [
      own.length > 0 && `${count(own.length, 'flow')} out`,
      used > 0 && `${own.length > 0 ? used : count(used, 'flow')} in`,
    ];
    return {
      id,
      name,
      meta: declared ? parts.filter(Boolean).join(', ') : 'not declared',
      place: places.get(id),
      family: undefined,
      isOpenFirst: true,
      below: () => own.map((flow) => flowDraft(flow, outline, places)),
    };
  });
  const ofAspects = outline.aspects.map(
    ({ id, name, detail, flows: own }): Draft => ({
      id,
      name: `aspect ${name}`,
      meta: [detail, count(own.length, 'flow')].filter(Boolean).join(', '),
      place: places.get(id),
      family: undefined,
      isOpenFirst: false,
      below: () => [],
    }),
  );
  const ofNothing = (out.get(undefined) ?? []).map((flow) => flowDraft(flow, outline, places));
  return [...ofConnectors, ...ofNothing, ...ofAspects];
}

function flowDraft(flow: OutlineFlow, outline: Outline, places: ReadonlyMap<string, OutlinePlace>): Draft {
  const stages = stagesByFamily(flow);
  return {
    id: flow.id,
    name: flow.name,
    meta: flow.source?.operation ?? triggerOf(outline, flow) ?? 'no source',
    place: places.get(flow.id),
    family: undefined,
    isOpenFirst: false,
    below: () =>
      families.flatMap((family): Draft[] => {
        const own = stages.get(family) ?? [];
        if (own.length === 0) return [];
        return [
          {
            id: `${flow.id}/family ${family}`,
            name: familyTitles[family],
            meta: String(own.length),
            place: undefined,
            family,
            isOpenFirst: true,
            below: () => own.map((stage) => stageDraft(stage, places)),
          },
        ];
      }),
  };
}

function stageDraft(stage: OutlineFlow['stages'][number], places: ReadonlyMap<string, OutlinePlace>): Draft {
  const { id, detail, rules, family } = stage;
  const title = titleOfStage(stage);
  return {
    id,
    name: title,
    // Not twice what the title says.
    meta: title.endsWith(` ${detail}`) ? '' : detail,
    place: places.get(id),
    family: undefined,
    isOpenFirst: family === 'shape',
    below: () =>
      rules.map((rule) => ({
        id: ruleId(stage, rule),
        name: rule.target,
        meta: '',
        place: places.get(ruleId(stage, rule)),
        family: undefined,
        isOpenFirst: false,
        below: () => [],
      })),
  };
}

/** What a key does in the list: another line gets the focus, or one is folded or unfolded (WAI-ARIA, tree view). */
export function moveInRows(
  rows: readonly OutlineRow[],
  id: string | undefined,
  key: string,
): { readonly focus: string } | { readonly flip: string } | undefined {
  const at = rows.findIndex((row) => row.id === id);
  const row = rows[at];
  const to = (index: number) => {
    const target = rows[index];
    return target && { focus: target.id };
  };
  if (key === 'ArrowDown') return to(at + 1);
  if (key === 'ArrowUp') return to(at - 1);
  if (key === 'Home') return to(0);
  if (key === 'End') return to(rows.length - 1);
  if (row === undefined) return undefined;
  if (key === 'ArrowRight' && row.isOpen !== undefined) return row.isOpen ? to(at + 1) : { flip: row.id };
  if (key === 'ArrowLeft') {
    if (row.isOpen) return { flip: row.id };
    return row.parent === undefined ? undefined : { focus: row.parent };
  }
  return undefined;
}

/** The lines above a place that have to be open so that it is in sight, outermost first. */
export function rowsAbove(outline: Outline, { flow, stage, rule }: OutlinePlace): readonly string[] {
  if (flow === undefined) return [];
  const source = outline.edges.find((edge) => edge.direction === 'in' && edge.flow === flow.id)?.connector;
  return [
    ...(source === undefined ? [] : [source]),
    ...(stage ? [flow.id, `${flow.id}/family ${stage.family}`] : []),
    ...(stage && rule ? [stage.id] : []),
  ];
}
