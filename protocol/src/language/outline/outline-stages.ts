import { type Block, type Body, type BodyItem, type Expression, literalText, sourceOf } from '../../syntax/index.ts';
import { type Range, touches } from '../../text/index.ts';
import type { FileState, ProjectState } from '../states.ts';
import type { StageFamily, StagePlace, Stop } from '../support.ts';

/** A stage of a flow as a canvas draws it. */
export interface OutlineStage {
  /** `flow register/step user`: the same as long as the names are. */
  readonly id: string;
  readonly family: StageFamily;
  /** The stage that breakpoints name, together with `name`; undefined where the flow cannot stop. */
  readonly stage: string | undefined;
  readonly word: string;
  /** Label of the block or of the destination; empty when the stage has no label. */
  readonly name: string;
  /** What says most about it: a connector, a status, a policy; empty when there is nothing to say. */
  readonly detail: string;
  /** Another file than that of the flow where a definition is used. */
  readonly file: string;
  readonly range: Range;
  readonly rules: readonly OutlineRule[];
}

/** One expression of a stage, under the index that breakpoints name. */
export interface OutlineRule {
  readonly index: number;
  /** Names from the stage inwards: `email`, `params.id`. */
  readonly target: string;
  readonly expression: string;
  readonly file: string;
  /** The expression. */
  readonly range: Range;
}

/** A stage as a flow stops at it, with the stops of its rules. */
interface Stopped {
  readonly stop: Stop;
  readonly rules: Stop[];
}

/** What is written of a stage, and where it stops; one of both is there. */
interface Found {
  readonly item: BodyItem | undefined;
  readonly file: FileState;
  stopped: Stopped | undefined;
}

/** The stages of one flow in run order: what is written, whether it can be run yet or not. */
export function stagesOf(
  id: string,
  flow: Block,
  file: FileState,
  stops: readonly Stop[],
  places: readonly StagePlace[],
  state: ProjectState,
): readonly OutlineStage[] {
  const waiting = new Set(groupsOf(stops));
  const taken = new Map<StagePlace, Found[]>();
  for (const place of places) {
    const found: Found[] = [];
    for (const item of itemsAt(flow.body, place.path)) {
      const own = [...waiting].filter(({ stop }) => place.stages.includes(stop.stage) && isAt(stop, file, item));
      for (const stopped of own) waiting.delete(stopped);
      if (own.length === 0) found.push({ item, file, stopped: undefined });
      else found.push(...own.map((stopped) => ({ item, file, stopped })));
    }
    taken.set(place, found);
  }
  // What is left is written elsewhere: in a definition, or at the name of the flow.
  for (const stopped of waiting) {
    const { stage, file: path, range } = stopped.stop;
    const found = taken.get(places.find(({ stages }) => stages.includes(stage)) as StagePlace);
    const free = found?.find((one) => one.stopped === undefined);
    const other = state.files.get(path) ?? file;
    if (free) free.stopped = stopped;
    else found?.push({ item: blockAt(other.tree.body, range.start), file: other, stopped });
  }
  const ids = new Map<string, number>();
  return places.flatMap((place) =>
    (taken.get(place) as Found[]).map((found): OutlineStage => {
      const { item, stopped } = found;
      const label = item?.kind === 'block' ? (item.labels[0]?.text ?? '') : '';
      return {
        id: unique(`${id}/${place.path.join('.')} ${label}`.trim(), ids),
        family: place.family,
        stage: stopped?.stop.stage,
        word: place.word,
        name: stopped?.stop.name || label,
        detail: item ? detailOf(item, place, found.file) : '',
        file: found.file.tree.file,
        range: rangeOf(item ?? stopped?.stop.range ?? flow),
        rules: (stopped?.rules ?? []).map((rule) => ruleOf(rule, found, state)),
      };
    }),
  );
}

function isAt({ file, range }: Stop, { tree }: FileState, item: BodyItem): boolean {
  return file === tree.file && touches(item, range.start);
}

/** The block whose word begins at an offset. */
function blockAt(body: Body, offset: number): Block | undefined {
  const around = body.items.find((item) => touches(item, offset));
  if (around?.kind !== 'block') return undefined;
  return around.start === offset ? around : blockAt(around.body, offset);
}

/** The same with `#2` behind it the second time. */
export function unique(id: string, ids: Map<string, number>): string {
  const count = (ids.get(id) ?? 0) + 1;
  ids.set(id, count);
  return count === 1 ? id : `${id}#${count}`;
}

function groupsOf(stops: readonly Stop[]): Stopped[] {
  const groups: Stopped[] = [];
  for (const stop of stops) {
    if (stop.ruleIndex === undefined) groups.push({ stop, rules: [] });
    else groups.at(-1)?.rules.push(stop);
  }
  return groups;
}

/** Blocks and attributes that a path of words leads to, in written order. */
function itemsAt(body: Body, [word, ...rest]: readonly string[]): readonly BodyItem[] {
  const own = body.items.filter((item) => (item.kind === 'block' ? item.type : item.name).text === word);
  if (rest.length === 0) return own;
  return own.flatMap((item) => (item.kind === 'block' ? itemsAt(item.body, rest) : []));
}

function detailOf(item: BodyItem, { path, detail }: StagePlace, { tree }: FileState): string {
  let value: Expression | undefined;
  if (item.kind === 'attribute') value = path.length > 1 && detail === undefined ? item.value : undefined;
  else
    for (const inner of item.body.items)
      if (inner.kind === 'attribute' && inner.name.text === detail) value = inner.value;
  return value === undefined ? '' : (literalText(value) ?? sourceOf(value, tree.text)).replace(/\s+/g, ' ');
}

function ruleOf(rule: Stop, found: Found, state: ProjectState): OutlineRule {
  const { file, range, ruleIndex } = rule;
  const tree = state.files.get(file)?.tree ?? found.file.tree;
  const inside = found.item !== undefined && isAt(rule, found.file, found.item);
  const root = inside ? found.item : tree.body.items.find((item) => touches(item, range.start));
  const { names, value } = root ? trailTo(root, range.start) : { names: [], value: undefined };
  return {
    index: ruleIndex as number,
    target: names.join('.'),
    expression: literalText(value) ?? sourceOf(range, tree.text),
    file,
    range: rangeOf(range),
  };
}

/** The names on the way from an item to a place inside it, and the value that is written there. */
function trailTo(item: BodyItem, offset: number): { names: string[]; value: Expression | undefined } {
  if (item.kind === 'block') {
    const inner = item.body.items.find((one) => touches(one, offset));
    if (inner === undefined) return { names: [], value: undefined };
    const { names, value } = trailTo(inner, offset);
    return { names: inner.kind === 'block' ? [inner.type.text, ...names] : names, value };
  }
  const names = [item.name.text];
  let value = item.value;
  while (value?.kind === 'object' || value?.kind === 'list') {
    let next: Expression | undefined;
    if (value.kind === 'object') {
      const entry = value.entries.find((one) => touches(one, offset));
      if (entry) names.push(entry.key.kind === 'variable' ? entry.key.name : (literalText(entry.key) ?? ''));
      next = entry?.value;
    } else {
      const index = value.items.findIndex((one) => touches(one, offset));
      if (index >= 0) names.push(String(index));
      next = value.items[index];
    }
    if (next === undefined) return { names, value: undefined };
    value = next;
  }
  return { names, value };
}

export function rangeOf({ start, end }: Range): Range {
  return { start, end };
}
