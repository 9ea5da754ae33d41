import { partsOf } from '../shell/layout.ts';
import { useStudio } from '../shell/studio.ts';
import { useStore } from '../state/use-store.ts';
import type { Canvas } from './canvas.ts';
import { titleOfStage } from './graph/places.ts';
import { count } from './words.ts';

/** How much there is and what is selected, while the canvas has the focus. */
export function canvasStatus(canvas: Canvas) {
  return function CanvasStatus() {
    const { layout } = useStudio();
    const isActive = useStore(
      layout.editors,
      ({ groups, focused }) => partsOf(groups[focused]?.active ?? ':').kind === 'canvas',
    );
    const { connectors, flows } = useStore(canvas.outline);
    const selected = useStore(canvas.selected);
    if (!isActive) return null;
    const place = selected === undefined ? undefined : canvas.places.get(selected);
    const title =
      place?.rule?.target ??
      (place?.stage ? titleOfStage(place.stage) : (place?.flow ?? place?.connector ?? place?.aspect)?.name);
    return (
      <>
        <span className="status-item">
          {count(connectors.length, 'connector')}, {count(flows.length, 'flow')}
        </span>
        {title !== undefined && <span className="status-item">{title} selected</span>}
      </>
    );
  };
}
