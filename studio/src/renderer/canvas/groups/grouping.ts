import type { Outline } from '@svc/protocol/language';

/** How flows are put together where there are many. */
export const groupings = ['automatic', 'none', 'folder', 'connector'] as const;
export type Grouping = (typeof groupings)[number];

/** Flows that are drawn together, under one name. */
export interface FlowGroup {
  /** `group folder flows/billing`: the same as long as the name is. */
  readonly id: string;
  readonly name: string;
  readonly by: 'folder' | 'connector';
  /** Ids of its flows, in the order of the outline. */
  readonly flows: readonly string[];
}

/** Up to how many flows are drawn one by one while the person has not chosen. */
const mostAlone = 60;

/** The groups of an outline from above; undefined while each flow is drawn without one. */
export function groupsOf(outline: Outline, grouping: Grouping): readonly FlowGroup[] | undefined {
  const by = waysOf(outline, grouping);
  if (by === undefined || outline.flows.length === 0) return undefined;
  return by === 'folder' ? byFolder(outline) : byConnector(outline);
}

function waysOf(outline: Outline, grouping: Grouping): FlowGroup['by'] | undefined {
  if (grouping === 'none') return undefined;
  if (grouping !== 'automatic') return grouping;
  if (outline.flows.length <= mostAlone) return undefined;
  const folders = new Set(outline.flows.map(({ file }) => folderOf(file)));
  return folders.size > 1 ? 'folder' : 'connector';
}

function byFolder({ flows }: Outline): readonly FlowGroup[] {
  const folders = Map.groupBy(flows, ({ file }) => folderOf(file));
  return [...folders]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([folder, own]) => group('folder', folder, folder === '' ? 'project folder' : folder, own));
}

function byConnector({ flows, edges, connectors }: Outline): readonly FlowGroup[] {
  const sourceOf = new Map(
    edges.filter(({ direction }) => direction === 'in').map(({ flow, connector }) => [flow, connector]),
  );
  const sources = Map.groupBy(flows, ({ id }) => sourceOf.get(id) ?? '');
  const names = [...connectors.map(({ id, name }) => [id, name] as const), ['', 'without a source'] as const];
  return names.flatMap(([id, name]) => {
    const own = sources.get(id);
    return own === undefined ? [] : [group('connector', id, name, own)];
  });
}

function group(by: FlowGroup['by'], key: string, name: string, flows: readonly { readonly id: string }[]): FlowGroup {
  return { id: `group ${by} ${key}`, name, by, flows: flows.map(({ id }) => id) };
}

function folderOf(file: string): string {
  return file.slice(0, Math.max(0, file.lastIndexOf('/')));
}
