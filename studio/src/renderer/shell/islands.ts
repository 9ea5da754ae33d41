/** What F6 goes through, in the order of the window. */
const regions = '.title, .activity, .work .island, .status';
const reachable =
  'button:not(:disabled):not([tabindex="-1"]), input:not(:disabled), select, textarea, a[href], [tabindex="0"]';

/** What had the focus last in each part of the window. */
const last = new WeakMap<Element, HTMLElement>();

export function rememberFocus(): () => void {
  const note = ({ target }: FocusEvent) => {
    const region = target instanceof HTMLElement && target.closest(regions);
    if (region) last.set(region, target);
  };
  document.addEventListener('focusin', note);
  return () => document.removeEventListener('focusin', note);
}

/** Gives the focus to the next part of the window that can take it, or the one before. */
export function focusNextRegion(by: 1 | -1): void {
  const all = [...document.querySelectorAll(regions)];
  const at = all.findIndex((region) => region.contains(document.activeElement));
  const from = at < 0 && by < 0 ? 0 : at;
  for (let step = 1; step <= all.length; step++) {
    const region = all[(from + by * step + all.length * 2) % all.length];
    if (region && focusIn(region)) return;
  }
}

function focusIn(region: Element): boolean {
  const before = last.get(region);
  const target = before?.isConnected
    ? before
    : (region.querySelector<HTMLElement>('.monaco-editor textarea, .monaco-editor .native-edit-context') ??
      region.querySelector<HTMLElement>('[role="treeitem"][tabindex="0"]') ??
      region.querySelector<HTMLElement>(reachable));
  target?.focus();
  return target !== null && target !== undefined && document.activeElement === target;
}
