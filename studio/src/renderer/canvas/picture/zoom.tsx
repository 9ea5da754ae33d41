import { useReactFlow, useStore as useViewStore } from '@xyflow/react';
import { useStudio } from '../../shell/studio.ts';
import { IconButton } from '../../shell/window/icon-button.tsx';

/** Nearer, farther, everything, and the picture as a file. */
export function ZoomBar({ onFit }: { readonly onFit: () => void }) {
  const view = useReactFlow();
  const { menus, commands } = useStudio();
  const percent = useViewStore(({ transform }) => Math.round(transform[2] * 100));
  const exportMenu = () => {
    const box = document.querySelector('.zoom')?.getBoundingClientRect();
    const run = (id: string) => () => commands.run(id);
    const items = [
      { title: 'Export as SVG', run: run('canvas.exportSvg') },
      { title: 'Export as PNG', run: run('canvas.exportPng') },
    ];
    menus.show({ label: 'Export', x: box?.right ?? 0, y: (box?.top ?? 0) - 60, items });
  };
  return (
    <div className="zoom">
      <IconButton icon="plus" label="Zoom in" keys="+" onClick={() => void view.zoomIn()} />
      <button type="button" className="numeric percent" title="Zoom to 100%" onClick={() => void view.zoomTo(1)}>
        {percent}%
      </button>
      <IconButton icon="minus" label="Zoom out" keys="-" onClick={() => void view.zoomOut()} />
      <span className="divider" />
      <IconButton icon="fit" label="Fit" keys="0" onClick={onFit} />
      <IconButton icon="download" label="Export SVG or PNG" onClick={exportMenu} />
    </div>
  );
}
