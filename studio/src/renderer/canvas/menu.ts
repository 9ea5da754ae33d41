import type { MenuItem } from '../shell/menus.ts';
import type { Studio } from '../shell/studio.ts';
import type { Canvas } from './canvas.ts';
import { type OutlinePlace, stopPlaceOf } from './graph/places.ts';

/** What can be done with a place of the canvas, and with the canvas. */
export function placeMenu(
  { menus, commands }: Studio,
  canvas: Canvas,
  place: OutlinePlace | undefined,
  x: number,
  y: number,
): void {
  const run = (id: string, argument?: unknown) => () => commands.run(id, argument);
  const flow = place?.flow;
  const items: (MenuItem | undefined)[] = [];
  if (place) {
    items.push({ title: 'Show in text', icon: 'code', keys: 'escape', run: run('canvas.showText') });
    items.push({ title: 'Properties', icon: 'gear', run: run('canvas.properties') });
  }
  if (flow) {
    const isOpen = canvas.open.value.has(flow.id);
    items.push({
      title: isOpen ? 'Close flow' : 'Open flow',
      icon: 'flow',
      run: () => canvas.setOpen(flow.id, !isOpen),
    });
  }
  if (place && stopPlaceOf(place))
    items.push({
      title: 'Toggle breakpoint',
      icon: 'breakpoint',
      keys: 'b',
      run: () => canvas.toggleBreakpoint(place.id),
    });
  if (items.length > 0) items.push(undefined);
  items.push(
    { title: 'Add connector', icon: 'plus', run: run('canvas.addConnector') },
    { title: 'Add flow', icon: 'plus', run: run('canvas.addFlow') },
    undefined,
    { title: 'Tidy', icon: 'graph', run: run('canvas.tidy') },
  );
  menus.show({ label: place === undefined ? 'Canvas' : ((flow ?? place.connector)?.name ?? 'Canvas'), x, y, items });
}
