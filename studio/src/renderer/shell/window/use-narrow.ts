import { useSyncExternalStore } from 'react';

/** Whether the window is narrower than so many pixels. */
export function useNarrow(width: number): boolean {
  return useSyncExternalStore(
    (listen) => {
      window.addEventListener('resize', listen);
      return () => window.removeEventListener('resize', listen);
    },
    () => window.innerWidth < width,
  );
}
