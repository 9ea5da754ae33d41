import { useStore as useViewStore } from '@xyflow/react';
import { createContext } from 'react';

/** How much is drawn: groups with their counts, flows by name, flows with their stages. */
export type Detail = 'groups' | 'flows' | 'stages';

/** Whether the canvas around shows the stages of flows that are closed. */
export const ShowsStages = createContext(false);

/** The zoom from which the names of flows can be read, and from which there is room for their stages. */
export const zoomOfFlows = 0.4;
export const zoomOfStages = 1.2;

export function detailAt(zoom: number, hasGroups: boolean): Detail {
  if (hasGroups && zoom < zoomOfFlows) return 'groups';
  return zoom < zoomOfStages ? 'flows' : 'stages';
}

/** The level of the canvas around; a view is drawn again when another one is reached. */
export function useDetail(hasGroups: boolean): Detail {
  return useViewStore(({ transform }) => detailAt(transform[2], hasGroups));
}
