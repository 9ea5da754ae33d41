import type { Outline } from '@svc/protocol/language';
import { debugOf } from '../debug/session/session.ts';
import type { Studio } from '../shell/studio.ts';
import { Store } from '../state/store.ts';
import { aloneOf } from './beside/alone.ts';
import { Changes } from './changes.ts';
import { type Box, boxAround } from './graph/boxes.ts';
import type { Drawn, Point } from './graph/drawn.ts';
import { changedOnly, failingOnly, graphOf, nothing, sameWhereEqual } from './graph/graph.ts';
import { type LayOut, layoutInWorker } from './graph/layout-client.ts';
import { Placement } from './graph/placement.ts';
import { type OutlinePlace, placeAt, placesOf, stopPlaceOf } from './graph/places.ts';
import { type Grouping, groupsOf } from './groups/grouping.ts';

/** The box around everything that is drawn. */
export function boundsOf({ graph, points }: Drawn): Box {
  return boxAround(
    graph.nodes.map(({ id, width, height }) => ({ ...(points.get(id) ?? { x: 0, y: 0 }), width, height })),
  );
}

const empty: Outline = { connectors: [], flows: [], edges: [], aspects: [], endpoints: [] };

/** What is drawn: everything, what has problems, or what differs from the last commit. */
export type Filter = 'all' | 'failing' | 'changed';

/** The picture of the project that is open. Plain: it knows no view. */
export class Canvas {
  readonly outline = new Store<Outline>(empty);
  readonly drawn = new Store<Drawn>({ graph: nothing, points: new Map() });
  /** Ids of the flows that show their stages. */
  readonly open = new Store<ReadonlySet<string>>(new Set());
  /** The id of the connector, flow, stage or rule that is selected. */
  readonly selected = new Store<string | undefined>(undefined);
  /** The id of the flow that is drawn alone, beside its text. */
  readonly alone = new Store<string | undefined>(undefined);
  readonly filter = new Store<Filter>('all');
  readonly changes: Changes;
  readonly sought = new Store('');
  readonly grouping = new Store<Grouping>('automatic');
  /** Whether what the outline says is drawn. */
  readonly isReady = new Store(false);
  /** A node that the view is asked to bring into sight. */
  readonly shown = new Store<{ readonly id: string } | undefined>(undefined);
  places: ReadonlyMap<string, OutlinePlace> = new Map();
  readonly #studio: Studio;
  readonly #layOut: LayOut;
  #placement = new Placement();
  #asking: AbortController | undefined;
  #round = 0;
  #awaited: { readonly id: string; readonly movesText: boolean } | undefined;
  /** The groups that nodes were placed for, as a text. */
  #placedFor = '""';

  constructor(studio: Studio, layOut: LayOut = layoutInWorker()) {
    this.#studio = studio;
    this.#layOut = layOut;
    this.changes = new Changes(studio);
    this.changes.comparison.subscribe(() => void this.draw());
    studio.language.checked.subscribe(() => void this.#read());
    let directory = studio.project.info.value?.directory;
    studio.project.info.subscribe(() => {
      // The same folder may have been trusted.
      if (studio.project.info.value?.directory === directory) return;
      directory = studio.project.info.value?.directory;
      this.#forget();
    });
    studio.focus.subscribe(() => this.#follow());
    this.filter.subscribe(() => {
      this.changes.want(this.filter.value === 'changed');
      void this.draw();
    });
    this.grouping.subscribe(() => void this.draw());
  }

  /** Draws what the outline says now. Nodes stay where they are. */
  async draw(isTidy = false): Promise<void> {
    const round = ++this.#round;
    const { diagnostics } = this.#studio.language.checked.value;
    const comparison = this.filter.value === 'changed' ? this.changes.comparison.value : undefined;
    // What is gone is drawn beside what there is.
    const outline = comparison?.outline ?? this.outline.value;
    const full = graphOf(outline, this.open.value, diagnostics);
    const alone = this.alone.value === undefined ? undefined : aloneOf(full, this.alone.value);
    if (alone !== undefined) {
      this.drawn.set({ ...alone, graph: sameWhereEqual(this.drawn.value.graph, alone.graph) });
      this.isReady.set(true);
      return;
    }
    const groups = groupsOf(outline, this.grouping.value);
    const placedFor = JSON.stringify(groups ?? '');
    // What is grouped is arranged again as a whole: each flow has its place in the block of its group.
    const isArranged = placedFor !== this.#placedFor;
    if (isTidy || isArranged || this.#placement.misses(full.nodes)) {
      const members = groups?.map(({ flows }) => flows);
      const points = await this.#layOut(graphOf(outline, new Set(), []), members);
      // A later round has drawn meanwhile, and it saw what is missing too.
      if (round !== this.#round) return;
      this.#placedFor = placedFor;
      if (isTidy || isArranged || groups !== undefined) this.#placement.tidy(points);
      else this.#placement.add(full, points);
    }
    this.#placement.open(full.nodes);
    const wanted =
      this.filter.value === 'failing'
        ? failingOnly(full)
        : comparison
          ? changedOnly(full, comparison.differences)
          : full;
    const graph = sameWhereEqual(this.drawn.value.graph, wanted);
    this.drawn.set({ graph, points: new Map(this.#placement.points), groups });
    this.isReady.set(true);
  }

  move(id: string, point: Point): void {
    // Alone, a flow and its connectors have places of their own.
    if (this.alone.value !== undefined) return;
    this.#placement.move(id, point);
    this.drawn.patch({ points: new Map(this.#placement.points) });
  }

  setOpen(flow: string, isOpen: boolean): void {
    if (this.open.value.has(flow) === isOpen) return;
    const open = new Set(this.open.value);
    if (isOpen) open.add(flow);
    else open.delete(flow);
    this.open.set(open);
    void this.draw();
  }

  /** Draws one flow alone, opened; undefined: everything. */
  showAlone(flow: string | undefined): void {
    if (flow === this.alone.value) return;
    this.alone.set(flow);
    if (flow !== undefined && !this.open.value.has(flow)) this.setOpen(flow, true);
    else void this.draw();
  }

  /** Selects something; text and form go there too. */
  select(id: string | undefined, by: 'canvas' | 'tree' = 'canvas'): void {
    this.selected.set(id);
    const place = id === undefined ? undefined : this.places.get(id);
    if (place === undefined) return;
    const { file: path, start, end } = place;
    this.#studio.focus.set({ path, start, end, by });
  }

  /** Selects and shows something that is being written, as soon as the outline has it; the text goes there if wanted. */
  selectWhenDrawn(id: string, movesText = true): void {
    this.#awaited = { id, movesText };
    this.#arrive();
  }

  get place(): OutlinePlace | undefined {
    return this.selected.value === undefined ? undefined : this.places.get(this.selected.value);
  }

  /** Sets or takes away a breakpoint; false where the flow cannot stop. */
  toggleBreakpoint(id: string): boolean {
    const stop = stopPlaceOf(this.places.get(id) ?? { id, file: '', start: 0, end: 0 });
    if (stop) debugOf(this.#studio).breakpoints.toggle(stop);
    return stop !== undefined;
  }

  /** Asks the view to bring a place into sight. */
  show(id: string): void {
    this.shown.set({ id });
  }

  #arrive(): void {
    if (this.#awaited === undefined || !this.places.has(this.#awaited.id)) return;
    const { id, movesText } = this.#awaited;
    this.#awaited = undefined;
    if (movesText) this.select(id);
    else this.selected.set(id);
    this.show(id);
  }

  async #read(): Promise<void> {
    this.#asking?.abort();
    const asking = new AbortController();
    this.#asking = asking;
    const outline = await this.#studio.language.ask('outline', [], asking.signal);
    if (asking.signal.aborted) return;
    this.places = placesOf(outline);
    this.outline.set(outline);
    await this.draw();
    this.#arrive();
  }

  #forget(): void {
    this.#asking?.abort();
    this.filter.set('all');
    this.changes.forget();
    this.#placement = new Placement();
    this.#placedFor = '""';
    // What is being drawn is of the folder that was left.
    this.#round++;
    this.isReady.set(false);
    this.alone.set(undefined);
    this.open.set(new Set());
    this.selected.set(undefined);
    this.sought.set('');
    this.places = new Map();
    this.outline.set(empty);
    this.drawn.set({ graph: nothing, points: new Map() });
  }

  #follow(): void {
    const focus = this.#studio.focus.value;
    if (focus === undefined || focus.by === 'canvas') return;
    if (focus.by === 'tree' && this.place?.file === focus.path && this.place.start === focus.start) return;
    const place = placeAt(this.places, focus.path, focus.start);
    if (place === undefined) return;
    this.selected.set(place.id);
    // A stop is shown in its stage, which is drawn in an open flow only.
    if (focus.by === 'debug' && place.flow !== undefined) this.setOpen(place.flow.id, true);
    if (focus.by !== 'text') this.show(place.id);
  }
}
