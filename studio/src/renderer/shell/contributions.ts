import type { ComponentType, LazyExoticComponent } from 'react';
import { Store } from '../state/store.ts';
import type { IconName } from '../theme/icon.tsx';
import type { TabAddress } from './layout.ts';

/** A view of the side bar with its button in the activity bar. */
export interface SideView {
  readonly id: string;
  readonly title: string;
  readonly icon: IconName;
  readonly order: number;
  readonly view: ComponentType;
  /** What is shown at its button: a count, or `paused` in the colour that is for nothing else. */
  readonly badge?: Store<{ readonly count: number; readonly paused?: boolean | undefined } | undefined> | undefined;
}

/** A view that is below another in the side bar, such as the outline below the explorer. */
export interface SideSection {
  readonly id: string;
  /** The side view that it is below. */
  readonly side: string;
  readonly order: number;
  readonly view: ComponentType;
}

/** A view of the secondary side bar, at the right. */
export interface AuxiliaryView {
  readonly id: string;
  readonly title: string;
  readonly order: number;
  readonly view: ComponentType;
  /** A kind of tab: shown while one of that kind has the focus, in place of the views that belong to none. */
  readonly beside?: string | undefined;
  /** Shown with those of every kind of tab while something is paused. */
  readonly staysWhilePaused?: boolean | undefined;
}

/** A tab of the panel below the editor. `place` says in which half it is while there is room for two. */
export interface PanelView {
  readonly id: string;
  readonly title: string;
  readonly order: number;
  readonly place: 'left' | 'right';
  readonly view: ComponentType;
  /** Buttons at the right of the tabs while it is open. */
  readonly tools?: ComponentType | undefined;
  readonly count?: Store<number> | undefined;
}

type EditorView = ComponentType<{ readonly address: string; readonly path: string }>;

/** What opens in a tab of the editor area. `key` is what comes after `kind:` in the address of a tab. */
export interface EditorKind {
  /** `text`, `canvas`, `welcome`, `request`, `queues`. */
  readonly kind: string;
  /** One that is read when it is first shown is shown when it is there. */
  readonly view: EditorView | LazyExoticComponent<EditorView>;
  readonly title: (path: string) => string;
  readonly icon: (path: string) => { readonly name: IconName; readonly className?: string | undefined };
  /** What changes when the icon of the same path may be another one. */
  readonly iconFollows?: Store<unknown> | undefined;
}

/** A control of the title bar: beside the name of the project, or in the middle such as the debug toolbar. */
export interface TitleItem {
  readonly id: string;
  /** Absent: in the middle. */
  readonly side?: 'left' | undefined;
  readonly order: number;
  readonly view: ComponentType;
}

/** Something in the status bar. */
export interface StatusItem {
  readonly id: string;
  readonly side: 'left' | 'right';
  readonly order: number;
  readonly view: ComponentType;
}

/** A control at the right of the tabs; it receives the number of its group, from 0. */
export interface EditorTool {
  readonly id: string;
  readonly order: number;
  readonly view: ComponentType<{ readonly group: number }>;
}

/** What a feature shows at the first page. */
export interface FirstPageSection {
  readonly id: string;
  readonly order: number;
  readonly view: ComponentType;
}

/** What a feature keeps of a window for its folder, beside layout and tabs. */
export interface KeptPart {
  /** The member of what is stored that is its own. */
  readonly name: string;
  /** Changes when there is something new to keep. */
  readonly changes: Store<unknown>;
  /** What is stored, as JSON. */
  readonly read: () => unknown;
  /** Puts back what was stored, or undefined when nothing was; what cannot be used of it is left out. */
  readonly restore: (stored: unknown) => void;
  /** Takes what a folder that is opened for the first time brings along under the same name. */
  readonly suggest: (brought: unknown) => void;
}

/**
 * Everything that features put into the window. A feature is a folder whose `index.ts` contributes; the shell knows
 * none.
 */
export class Contributions {
  readonly sideViews = new Store<readonly SideView[]>([]);
  readonly sideSections = new Store<readonly SideSection[]>([]);
  readonly auxiliaryViews = new Store<readonly AuxiliaryView[]>([]);
  /** Whether the views that belong to no kind of tab are shown beside every tab, as while something is paused. */
  readonly isAuxiliaryTaken = new Store(false);
  readonly isPaused = new Store(false);
  readonly panels = new Store<readonly PanelView[]>([]);
  /** Panels that have nothing to do now, by their ids; their tabs are not shown. */
  readonly hiddenPanels = new Store<ReadonlySet<string>>(new Set());
  readonly editorKinds = new Store<ReadonlyMap<string, EditorKind>>(new Map());
  readonly status = new Store<readonly StatusItem[]>([]);
  readonly title = new Store<readonly TitleItem[]>([]);
  /** Controls at the right of the tabs of an editor group. */
  readonly editorTools = new Store<readonly EditorTool[]>([]);
  /** Drawn above everything: dialogs, menus, the palette. */
  readonly overlays = new Store<readonly { readonly id: string; readonly view: ComponentType }[]>([]);

  /** Above the editors, over their whole width; a view that has nothing to show gives null. */
  readonly strips = new Store<readonly { readonly id: string; readonly view: ComponentType }[]>([]);

  /** Sections of the first page beside what it begins with; one that has nothing to show gives null. */
  readonly firstPage = new Store<readonly FirstPageSection[]>([]);

  /** Opened with a folder of which no tab is kept. */
  readonly firstTab = new Store<TabAddress | undefined>(undefined);

  readonly kept = new Store<readonly KeptPart[]>([]);

  addKept = (part: KeptPart) => this.kept.update((all) => [...all, part]);
  addSideView = (view: SideView) => insert(this.sideViews, view);
  addSideSection = (section: SideSection) => insert(this.sideSections, section);
  addAuxiliaryView = (view: AuxiliaryView) => insert(this.auxiliaryViews, view);
  addPanel = (view: PanelView) => insert(this.panels, view);
  hidePanel = (id: string, isHidden: boolean) => {
    if (this.hiddenPanels.value.has(id) === isHidden) return;
    this.hiddenPanels.update((all) => new Set(isHidden ? [...all, id] : [...all].filter((each) => each !== id)));
  };
  addStatus = (item: StatusItem) => insert(this.status, item);
  addTitle = (item: TitleItem) => insert(this.title, item);
  addEditorTool = (item: EditorTool) => insert(this.editorTools, item);
  addOverlay = (item: { readonly id: string; readonly view: ComponentType }) =>
    this.overlays.update((all) => [...all, item]);
  addStrip = (strip: { readonly id: string; readonly view: ComponentType }) =>
    this.strips.update((all) => [...all, strip]);
  addToFirstPage = (section: FirstPageSection) => insert(this.firstPage, section);
  addEditorKind = (kind: EditorKind) => this.editorKinds.update((all) => new Map(all).set(kind.kind, kind));
}

function insert<T extends { readonly order: number }>(store: Store<readonly T[]>, item: T): void {
  store.update((all) => [...all, item].sort((left, right) => left.order - right.order));
}
