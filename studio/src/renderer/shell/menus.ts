import { Store } from '../state/store.ts';
import type { IconName } from '../theme/icon.tsx';

export interface MenuItem {
  readonly title: string;
  readonly icon?: IconName | undefined;
  /** A chord, shown only. */
  readonly keys?: string | undefined;
  /** Why it cannot be chosen; it is shown dim, with the reason. */
  readonly refused?: string | undefined;
  readonly run: () => void;
}

/** A menu at a place of the window; `undefined` between items draws a line. */
export interface Menu {
  readonly label: string;
  readonly x: number;
  readonly y: number;
  readonly items: readonly (MenuItem | undefined)[];
}

/** The one menu that is open. */
export class Menus {
  readonly open = new Store<Menu | undefined>(undefined);

  show(menu: Menu): void {
    this.open.set(menu);
  }
}
