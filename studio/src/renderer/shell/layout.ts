import { Store } from '../state/store.ts';

/** What is shown where; kept with the settings of this person for each project. */
export interface LayoutState {
  readonly sideView: string;
  readonly isSideOpen: boolean;
  readonly isPanelOpen: boolean;
  readonly isAuxiliaryOpen: boolean;
  /** Open panel in the left and in the right half. */
  readonly panelLeft: string;
  readonly panelRight: string;
  /** Pixels. */
  readonly sideWidth: number;
  readonly auxiliaryWidth: number;
  readonly panelHeight: number;
}

/** `kind:path`, such as `text:flows/a.hcl`, `canvas:` or `welcome:`. */
export type TabAddress = string;

export interface EditorGroup {
  readonly tabs: readonly TabAddress[];
  readonly active: TabAddress | undefined;
}

export interface EditorsState {
  /** One, or two side by side. */
  readonly groups: readonly EditorGroup[];
  /** The group that has the focus. */
  readonly focused: number;
}

export const firstLayout: LayoutState = {
  sideView: 'explorer',
  isSideOpen: true,
  isPanelOpen: true,
  isAuxiliaryOpen: false,
  panelLeft: 'problems',
  panelRight: 'console',
  sideWidth: 248,
  auxiliaryWidth: 344,
  panelHeight: 224,
};

/** How many closed tabs can be opened again. */
const mostClosed = 20;

export class Layout {
  readonly state = new Store<LayoutState>(firstLayout);
  readonly editors = new Store<EditorsState>({ groups: [{ tabs: [], active: undefined }], focused: 0 });
  readonly #closed: TabAddress[] = [];
  /** Asked before a tab closes; false keeps it open (unsaved text). */
  mayClose: (address: TabAddress) => Promise<boolean> = () => Promise.resolve(true);

  showSide(id: string): void {
    this.state.patch({ sideView: id, isSideOpen: true });
  }

  showPanel(id: string, place: 'left' | 'right'): void {
    this.state.patch({ isPanelOpen: true, ...(place === 'left' ? { panelLeft: id } : { panelRight: id }) });
  }

  /**
   * Opens a tab in the focused group (or `group`), or shows it where it is open already. Beside a canvas it opens in the
   * other group, so that what is drawn stays in sight.
   */
  open(address: TabAddress, group?: number): void {
    this.editors.update(({ groups, focused }) => {
      const holder = groups.findIndex(({ tabs }) => tabs.includes(address));
      const at = group ?? (holder >= 0 ? holder : beside(groups, focused));
      const grown = at < groups.length ? groups : [...groups, { tabs: [], active: undefined }];
      return {
        focused: at,
        groups: grown.map((each, index) =>
          index === at
            ? { tabs: each.tabs.includes(address) ? each.tabs : [...each.tabs, address], active: address }
            : each,
        ),
      };
    });
  }

  async close(address: TabAddress, group = this.editors.value.focused): Promise<void> {
    const others = this.editors.value.groups.some(({ tabs }, index) => index !== group && tabs.includes(address));
    if (!others && !(await this.mayClose(address))) return;
    this.#closed.push(address);
    this.#closed.splice(0, this.#closed.length - mostClosed);
    this.editors.update(({ groups, focused }) => {
      const closed = groups.map((each, index) => (index === group ? without(each, address) : each));
      return kept(closed, focused);
    });
  }

  /** Takes tabs away without asking, wherever they are. */
  drop(isGone: (address: TabAddress) => boolean): void {
    if (!this.editors.value.groups.some(({ tabs }) => tabs.some(isGone))) return;
    this.editors.update(({ groups, focused }) => {
      const left = groups.map((group) => group.tabs.filter(isGone).reduce(without, group));
      return kept(left, focused);
    });
  }

  /** Gives tabs another address, in their places. */
  readdress(change: (address: TabAddress) => TabAddress): void {
    this.editors.update((editors) => ({
      ...editors,
      groups: editors.groups.map(({ tabs, active }) => ({
        tabs: [...new Set(tabs.map(change))],
        active: active === undefined ? undefined : change(active),
      })),
    }));
  }

  /** The next or previous tab of the focused group, round the end. */
  step(by: 1 | -1): void {
    const { groups, focused } = this.editors.value;
    const { tabs, active } = groups[focused] as EditorGroup;
    const next = tabs.at((tabs.indexOf(active as TabAddress) + by) % tabs.length);
    if (next !== undefined) this.open(next, focused);
  }

  /** Shows the active tab in a second group too; the focus goes there. With two groups, it goes to the other. */
  split(): void {
    const { groups, focused } = this.editors.value;
    const { active } = this;
    if (active !== undefined) this.open(active, groups.length === 1 ? 1 : 1 - focused);
  }

  /** Moves a tab before another of a group, or to its end. */
  move(address: TabAddress, from: number, to: number, before: TabAddress | undefined): void {
    if (address === before) return;
    this.editors.update(({ groups }) => {
      const moved = groups.map((group, index) => (index === from ? without(group, address) : group));
      const { tabs } = without(moved[to] as EditorGroup, address);
      const at = before === undefined ? tabs.length : tabs.indexOf(before);
      moved[to] = { tabs: tabs.toSpliced(at, 0, address), active: address };
      return kept(moved, to);
    });
  }

  /** Opens the tab that was closed last. */
  reopen(): void {
    const address = this.#closed.pop();
    if (address !== undefined) this.open(address);
  }

  focus(group: number): void {
    if (this.editors.value.focused !== group) this.editors.patch({ focused: group });
  }

  /** The address that has the focus. */
  get active(): TabAddress | undefined {
    const { groups, focused } = this.editors.value;
    return groups[focused]?.active;
  }
}

/** Groups without those that lost their last tab; one stays. */
function kept(groups: readonly EditorGroup[], focused: number): EditorsState {
  const full = groups.filter(({ tabs }) => tabs.length > 0);
  if (full.length === 0) return { groups: [{ tabs: [], active: undefined }], focused: 0 };
  const gone = groups.slice(0, focused).filter(({ tabs }) => tabs.length === 0).length;
  return { groups: full, focused: Math.min(focused - gone, full.length - 1) };
}

/** The focused group, or the one beside it where that shows the canvas. */
function beside(groups: readonly EditorGroup[], focused: number): number {
  const active = groups[focused]?.active;
  return groups.length === 2 && active !== undefined && partsOf(active).kind === 'canvas' ? 1 - focused : focused;
}

function without({ tabs, active }: EditorGroup, address: TabAddress): EditorGroup {
  const at = tabs.indexOf(address);
  const rest = tabs.filter((tab) => tab !== address);
  return { tabs: rest, active: active === address ? (rest[at] ?? rest[at - 1]) : active };
}

export function tabOf(kind: string, path: string): TabAddress {
  return `${kind}:${path}`;
}

export function partsOf(address: TabAddress): { readonly kind: string; readonly path: string } {
  const at = address.indexOf(':');
  return { kind: address.slice(0, at), path: address.slice(at + 1) };
}

/** Kinds of tabs that show one file of the project, each in its own way. */
const fileKinds: ReadonlySet<string> = new Set(['text', 'request']);

/** The file that a tab shows; undefined for tabs that show none. */
export function fileOf(address: TabAddress): string | undefined {
  const { kind, path } = partsOf(address);
  return fileKinds.has(kind) ? path : undefined;
}
