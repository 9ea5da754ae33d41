import { createContext, use, useCallback, useSyncExternalStore } from 'react';
import { debugOf } from '../debug/session/session.ts';
import type { Thread } from '../debug/session/thread.ts';
import { useStudio } from '../shell/studio.ts';
import { useStore } from '../state/use-store.ts';
import type { Canvas } from './canvas.ts';

export const CanvasContext = createContext<Canvas | undefined>(undefined);

export function useCanvas(): Canvas {
  const canvas = use(CanvasContext);
  if (canvas === undefined) throw new Error('there is no canvas around this view');
  return canvas;
}

/** The thread whose course a flow shows; drawn again when that thread continues, or another one is in focus. */
export function useThread(flow: string): Thread | undefined {
  const { model } = debugOf(useStudio());
  const { state, focused } = model;
  const subscribe = useCallback(
    (listen: () => void) => {
      const stops = [state.subscribe(listen), focused.subscribe(listen)];
      return () => {
        for (const stop of stops) stop();
      };
    },
    [state, focused],
  );
  return useSyncExternalStore(subscribe, () => model.runOf(flow));
}

/** Whether the place of an id is the one that is selected. */
export function useSelected(id: string): boolean {
  return useStore(useCanvas().selected, (selected) => selected === id);
}
