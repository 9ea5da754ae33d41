import type { WorkflowDetail, WorkflowEntry, WorkflowStatus, WorkflowsEntry } from '@svc/protocol/wire';
import type { DebugSession } from '../../debug/session/session.ts';
import { Store } from '../../state/store.ts';
import { LiveAnswer } from '../live-answer.ts';

/** Workflows of one page. */
export const pageSize = 100;

/** Which workflows are listed. */
export interface Wanted {
  readonly flow: string | undefined;
  readonly status: WorkflowStatus | undefined;
  /** Where the page begins; undefined: with the newest. */
  readonly before: string | undefined;
}

/** Workflows of the attached service, and the one that is chosen. */
export class Workflows {
  readonly wanted = new Store<Wanted>({ flow: undefined, status: undefined, before: undefined });
  readonly chosen = new Store<string | undefined>(undefined);
  readonly list: LiveAnswer<WorkflowsEntry>;
  readonly detail: LiveAnswer<WorkflowDetail | undefined>;
  /** `2 run, 1 waits`. */
  readonly summary = new Store<string | undefined>(undefined);

  constructor(debug: Pick<DebugSession, 'call' | 'model' | 'isAttached'>) {
    this.list = new LiveAnswer(debug, 'workflows', () =>
      debug.call('inspect.workflows', { ...this.wanted.value, limit: pageSize }),
    );
    this.detail = new LiveAnswer(debug, 'workflows', async () => {
      const id = this.chosen.value;
      const { value: known } = this.detail.state.value;
      if (known !== undefined && known.id === id && this.#isUnchanged(known)) return known;
      return id === undefined ? undefined : debug.call('inspect.workflow', { id });
    });
    this.list.state.subscribe(() => {
      const { value } = this.list.state.value;
      this.summary.set(value && summaryOf(value));
    });
    this.wanted.subscribe(() => void this.list.refresh());
  }

  /** Lists others, from the newest on. */
  filter(part: Partial<Pick<Wanted, 'flow' | 'status'>>): void {
    this.wanted.patch({ ...part, before: undefined });
  }

  choose(id: string | undefined): void {
    this.chosen.set(id);
    this.detail.state.set({ value: undefined, problem: undefined });
    void this.detail.refresh();
  }

  /** Reads all of it again, as after a change. */
  async refresh(): Promise<void> {
    await this.list.refresh();
    await this.detail.refresh();
  }

  /** What it holds may be large, and is read again only when its row has changed, or is not listed. */
  #isUnchanged(known: WorkflowDetail): boolean {
    if (hasEnded(known.status)) return true;
    const row = this.list.state.value.value?.workflows.find(({ id }) => id === known.id);
    if (row === undefined) return false;
    return Object.entries(row).every(([member, value]) => known[member as keyof WorkflowEntry] === value);
  }

  /** What a row of the list is said to be in a few words. */
  watch = (): (() => void) => this.list.watch();
}

/** How many are in progress, in a few words. */
export function summaryOf({ storage, counts }: Pick<WorkflowsEntry, 'storage' | 'counts'>): string {
  if (storage === null) return 'none are kept';
  const count = (status: WorkflowStatus) =>
    counts.reduce((sum, each) => sum + (each.status === status ? each.count : 0), 0);
  const parts = [
    [count('running'), 'runs', 'run'],
    [count('waiting'), 'waits', 'wait'],
    [count('compensating'), 'is undone', 'are undone'],
  ] as const;
  const said = parts
    .filter(([number]) => number > 0)
    .map(([number, one, many]) => `${number} ${number === 1 ? one : many}`);
  return said.length === 0 ? 'none in progress' : said.join(', ');
}

/** Whether the text is in what a row shows. */
export function matches({ id, flow, step, awaits }: WorkflowEntry, text: string): boolean {
  const wanted = text.trim().toLowerCase();
  return [id, flow, step, awaits].some((each) => each?.toLowerCase().includes(wanted) === true);
}

/** Why a payload cannot be sent; undefined when it can be. */
export function payloadProblem(text: string): string | undefined {
  if (text.trim() === '') return undefined;
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? undefined : 'A payload is one JSON object.';
  } catch (error) {
    return `This is not JSON: ${error instanceof Error ? error.message : String(error)}`;
  }
}

/** Whether nothing will happen to it any more. */
export function hasEnded(status: WorkflowStatus): boolean {
  return status !== 'running' && status !== 'waiting' && status !== 'compensating';
}
