import type { KeyboardEvent } from 'react';

/** Arrow keys, Home and End in a tree whose items are buttons: one of them is in the order of Tab at a time. */
export function moveInTree(event: KeyboardEvent<HTMLElement>): void {
  const items = [...event.currentTarget.querySelectorAll<HTMLElement>('[role=treeitem]')];
  const at = items.indexOf(document.activeElement as HTMLElement);
  const current = items[at];
  if (current === undefined) return;
  const level = (item: HTMLElement) => Number(item.ariaLevel);
  const expanded = current.getAttribute('aria-expanded');
  const targets: Readonly<Record<string, () => HTMLElement | undefined>> = {
    ArrowDown: () => items[at + 1],
    ArrowUp: () => items[at - 1],
    Home: () => items[0],
    End: () => items.at(-1),
    ArrowRight: () => (expanded === 'true' ? items[at + 1] : expanded === 'false' ? press(current) : undefined),
    ArrowLeft: () =>
      expanded === 'true' ? press(current) : items.slice(0, at).findLast((item) => level(item) < level(current)),
  };
  const target = targets[event.key];
  if (target === undefined) return;
  event.preventDefault();
  const next = target();
  if (next === undefined) return;
  for (const item of items) item.tabIndex = item === next ? 0 : -1;
  next.focus();
}

function press(item: HTMLElement): undefined {
  item.click();
}
