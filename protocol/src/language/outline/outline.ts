import type { ConnectorKind } from '../../schema/index.ts';
import { literalText } from '../../syntax/index.ts';
import { type Range, touches } from '../../text/index.ts';
import type { FileState, ProjectState } from '../states.ts';
import { type LanguageSupport, type OutlineAspect, type OutlineEndpoint, placesOf, type Stop } from '../support.ts';
import { rootOf, type WrittenBody, type WrittenValue } from '../written.ts';
import { type OutlineStage, rangeOf, stagesOf, unique } from './outline-stages.ts';

interface OutlineNode {
  /**
   * `connector api`, `flow register`, `saga rent`: the same as long as the name is; the second of equal names has `#2`
   * behind it.
   */
  readonly id: string;
  readonly name: string;
  readonly file: string;
  /** The whole block. */
  readonly range: Range;
  /** The name. */
  readonly selection: Range;
}

export interface OutlineConnector extends OutlineNode {
  /** The word of its block: `connector`, or that of a block that is drawn as one, such as `auth`. */
  readonly word: string;
  /** False for a name that flows use without a declaration; `range` is then where it is used first. */
  readonly declared: boolean;
  /** Undefined while it is unknown what the connector is. */
  readonly kind: ConnectorKind | undefined;
  /** File of its own icon; absent: it has that of its kind. */
  readonly icon?: string | undefined;
  readonly type: string | undefined;
  readonly driver: string | undefined;
  /** In a few words: `http, 4 ops`; empty while there is nothing to say. */
  readonly detail: string;
}

export interface OutlineFlow extends OutlineNode {
  /** Where its messages come from; undefined while it does not say. */
  readonly source: FlowSource | undefined;
  readonly stages: readonly OutlineStage[];
}

export interface FlowSource {
  readonly connector: string;
  /** As the connector receives it: a named operation is resolved. Empty when it is absent. */
  readonly operation: string;
}

/** A flow names a connector. */
export interface OutlineEdge {
  readonly id: string;
  /** `in` where messages come from, `out` for every other use. */
  readonly direction: 'in' | 'out';
  /** The ids of both ends. */
  readonly flow: string;
  readonly connector: string;
  /** The id of the stage that names it. */
  readonly stage: string | undefined;
  /** The word of the block that names it, and that block's label. */
  readonly word: string;
  readonly name: string;
  readonly file: string;
  /** The block that names it. */
  readonly range: Range;
}

/** Connectors, flows and what joins them, in the order of files and places. */
export interface Outline {
  readonly connectors: readonly OutlineConnector[];
  readonly flows: readonly OutlineFlow[];
  readonly edges: readonly OutlineEdge[];
  readonly aspects: readonly OutlineAspect[];
  /** What the service answers beside the routes of flows. */
  readonly endpoints: readonly OutlineEndpoint[];
}

/** Draws a project, finished or not. */
export function outlineOf(state: ProjectState, support: LanguageSupport): Outline {
  const connectors: OutlineConnector[] = [];
  const flows: OutlineFlow[] = [];
  const edges: OutlineEdge[] = [];
  const calls: OutlineEdge[] = [];
  const ids = new Map<string, number>();
  const files = [...state.files.values()].sort((a, b) => (a.tree.file < b.tree.file ? -1 : 1));
  const stops = stopsByFlow(files, support.stops(state.project), support);
  for (const file of files) {
    const values = Map.groupBy(file.written.values, ({ body }) => rootOf(body));
    for (const body of file.written.bodies) {
      const { block, outer } = body;
      if (block === undefined || outer?.block !== undefined) continue;
      if (block.type.text === 'connector') connectors.push(connectorOf(body, file, ids, state, support));
      const drawn = drawnAsConnector(body, file, ids, state, support);
      if (drawn !== undefined) {
        connectors.push(drawn);
        for (const value of values.get(body) ?? []) addCall(value, file, drawn, calls, ids);
      }
      const places = placesOf(support.outline, block.type.text);
      if (places === undefined) continue;
      const own = values.get(body) ?? [];
      const node = nodeOf(body, file, ids);
      const stages = stagesOf(node.id, block, file, stops.get(body) ?? [], places, state);
      const flow = { ...node, source: sourceOf(own, state, support), stages };
      flows.push(flow);
      for (const value of own) addEdge(value, file, flow, edges, ids);
      for (const { file: path, range } of stages)
        if (path !== node.file || !touches(node.range, range.start))
          for (const value of state.files.get(path)?.written.values ?? [])
            if (touches(range, value.name.start)) addEdge(value, state.files.get(path) as FileState, flow, edges, ids);
    }
  }
  const known = new Set(connectors.map(({ id }) => id));
  for (const { connector, file, range } of edges) {
    if (known.has(connector)) continue;
    known.add(connector);
    const name = connector.slice('connector '.length);
    const nothing = { kind: undefined, type: undefined, driver: undefined, detail: '' };
    const node = { id: connector, name, file, range, selection: range };
    connectors.push({ ...node, word: 'connector', declared: false, ...nothing });
  }
  const drawn = new Set(flows.map(({ id }) => id));
  // A flow that a connector and something else run belongs to the connector: its edge comes last.
  const all = [...calls.filter(({ flow }) => drawn.has(flow)), ...edges];
  const names = flows.map(({ name }) => name);
  const aspects = support.outline.aspects?.(state.project, names) ?? [];
  return { connectors, flows, edges: all, aspects, endpoints: support.outline.endpoints?.(state.project) ?? [] };
}

/** A root block without a name that runs flows. */
function drawnAsConnector(
  { block }: WrittenBody,
  { tree }: FileState,
  ids: Map<string, number>,
  { project }: ProjectState,
  { outline: { drawnAsConnectors = {} } }: LanguageSupport,
): OutlineConnector | undefined {
  const word = block?.type.text ?? '';
  if (block === undefined || !Object.hasOwn(drawnAsConnectors, word)) return undefined;
  const detail = drawnAsConnectors[word]?.(project) ?? '';
  const places = { file: tree.file, range: rangeOf(block), selection: rangeOf(block.type) };
  const looks = { declared: true, kind: undefined, type: word, driver: undefined, detail };
  return { id: unique(word, ids), name: word, word, ...places, ...looks };
}

/** Draws that a block runs a flow which it names. */
function addCall(
  { spec, value, body }: WrittenValue,
  { tree }: FileState,
  { id, word }: OutlineConnector,
  edges: OutlineEdge[],
  ids: Map<string, number>,
): void {
  if (body.block === undefined || spec?.kind !== 'reference' || spec.refersTo !== 'flow') return;
  const name = value?.kind === 'attribute-access' ? value.name.text : literalText(value)?.replace(/^flow\./, '');
  if (name === undefined || name === '') return;
  const flow = `flow ${name}`;
  const place = { file: tree.file, range: rangeOf(body.block) };
  const called = { direction: 'in', flow, connector: id, stage: undefined, word, name: body.block.type.text } as const;
  edges.push({ id: unique(`${id} > ${flow}/${called.name}`, ids), ...called, ...place });
}

function nodeOf({ block }: WrittenBody, { tree }: FileState, ids: Map<string, number>): OutlineNode {
  const { type, labels, ...range } = block as NonNullable<typeof block>;
  const name = labels[0]?.text ?? '';
  return {
    id: unique(`${type.text} ${name}`, ids),
    name,
    file: tree.file,
    range: rangeOf(range),
    selection: rangeOf(labels[0] ?? type),
  };
}

function connectorOf(
  body: WrittenBody,
  file: FileState,
  ids: Map<string, number>,
  { project }: ProjectState,
  { outline }: LanguageSupport,
): OutlineConnector {
  const node = nodeOf(body, file, ids);
  const { connector: spec } = body;
  const declaration = project.connectors.get(node.name);
  const [profile] = declaration?.profiles.values() ?? [];
  return {
    ...node,
    word: 'connector',
    declared: true,
    kind: spec?.kind ?? profile?.spec?.kind,
    ...(spec?.icon !== undefined && { icon: spec.icon }),
    type: spec?.type,
    driver: spec?.driver,
    detail: declaration ? outline.connector(declaration) : '',
  };
}

/** The stops of each flow. What is written in a definition belongs to the flow whose stops it is among. */
function stopsByFlow(
  files: readonly FileState[],
  stops: readonly Stop[],
  { outline }: LanguageSupport,
): ReadonlyMap<WrittenBody, readonly Stop[]> {
  const flows = new Map<string, { file: string; body: WrittenBody }[]>();
  for (const { written, tree } of files)
    for (const body of written.bodies) {
      if (body.block === undefined || body.outer?.block !== undefined) continue;
      if (placesOf(outline, body.block.type.text) === undefined) continue;
      const name = body.block.labels[0]?.text ?? '';
      flows.set(name, [...(flows.get(name) ?? []), { file: tree.file, body }]);
    }
  const found = new Map<WrittenBody, Stop[]>();
  let current: WrittenBody | undefined;
  for (const stop of stops) {
    const { flow, file, range } = stop;
    const own = flows
      .get(flow)
      ?.find((one) => one.file === file && one.body.block && touches(one.body.block, range.start));
    current = own?.body ?? current;
    if (current === undefined) continue;
    const list = found.get(current);
    if (list) list.push(stop);
    else found.set(current, [stop]);
  }
  return found;
}

/** The connector that a reference names. */
function connectorNamed({ spec, value }: WrittenValue): string | undefined {
  if (spec?.kind !== 'reference' || (spec.refersTo !== 'connector' && spec.refersTo !== 'storage')) return undefined;
  const name = value?.kind === 'attribute-access' ? value.name.text : literalText(value)?.replace(/^connector\./, '');
  return name === '' ? undefined : name;
}

/** A variable that a reference tells about says that messages come from there. */
function comesIn({ spec }: WrittenValue): boolean {
  return spec?.tells !== undefined;
}

function sourceOf(
  own: readonly WrittenValue[],
  { project }: ProjectState,
  support: LanguageSupport,
): FlowSource | undefined {
  const source = own.find((value) => comesIn(value) && connectorNamed(value) !== undefined);
  if (source === undefined) return undefined;
  const connector = connectorNamed(source) as string;
  const beside = own.find(({ body, name }) => body === source.body && name.text === 'operation');
  const word = literalText(beside?.value) ?? '';
  const declaration = project.connectors.get(connector);
  const operation = (declaration && support.operation(declaration, word)) ?? word;
  return { connector, operation: operation.replace(/\s+/g, ' ').trim() };
}

/** Draws the use of a connector inside a flow, or inside a definition that one of its stages uses. */
function addEdge(
  value: WrittenValue,
  { tree }: FileState,
  flow: OutlineFlow,
  edges: OutlineEdge[],
  ids: Map<string, number>,
): void {
  const { block } = value.body;
  const named = connectorNamed(value);
  if (block === undefined || named === undefined) return;
  const connector = `connector ${named}`;
  const around = flow.stages.filter(({ file, range }) => file === tree.file && touches(range, value.name.start));
  const stage = around.toSorted((a, b) => a.range.end - a.range.start - (b.range.end - b.range.start))[0]?.id;
  const direction = comesIn(value) ? 'in' : 'out';
  const from = stage ?? `${flow.id}/${block.type.text}`;
  edges.push({
    id: unique(direction === 'in' ? `${connector} > ${from}` : `${from} > ${connector}`, ids),
    direction,
    flow: flow.id,
    connector,
    stage,
    word: block.type.text,
    name: block.labels[0]?.text ?? '',
    file: tree.file,
    range: rangeOf(block),
  });
}
