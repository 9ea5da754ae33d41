import { type RefObject, useLayoutEffect, useRef } from 'react';

/** Pixels that stay free beside the selected tab where a list of tabs scrolls. */
const gap = 8;

/**
 * Keeps the selected tab of a list that scrolls sideways in view: when another one is selected, when tabs come or go,
 * and when the list becomes narrower. `shown` is whatever the tabs depend on.
 */
export function useSelectedInView(shown: unknown): RefObject<HTMLDivElement | null> {
  const list = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is shown decides where the selected tab is
  useLayoutEffect(() => {
    const { current } = list;
    if (current === null) return;
    const scroll = () => {
      const tab = current.querySelector<HTMLElement>('[role="tab"][aria-selected="true"]');
      if (tab === null) return;
      const { left, right } = (tab.closest('[role="presentation"]') ?? tab).getBoundingClientRect();
      const room = current.getBoundingClientRect();
      if (left < room.left + gap) current.scrollLeft += left - room.left - gap;
      else if (right > room.right - gap)
        // A tab that is wider than the list shows its beginning.
        current.scrollLeft += Math.min(right - room.right + gap, left - room.left - gap);
    };
    scroll();
    const watch = new ResizeObserver(scroll);
    watch.observe(current);
    return () => watch.disconnect();
  }, [shown]);
  return list;
}
