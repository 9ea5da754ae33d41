import { lazy } from 'react';
import { revealOffsets } from '../editor/reveal.ts';
import { contributeForms } from '../forms/index.ts';
import { tabOf } from '../shell/layout.ts';
import type { Studio } from '../shell/studio.ts';
import { followSplit } from './beside/follow-split.ts';
import { type AddPlace, addStage } from './building/add-stage.ts';
import { Canvas } from './canvas.ts';
import { Creating, type FlowEnds } from './creating.ts';
import { creationDialog } from './creation-dialog.tsx';
import { keptGrouping } from './groups/kept.ts';
import { headOf } from './head.ts';
import { flowsView } from './outline-view.tsx';
import { exportCanvas } from './picture/exporting.ts';
import { canvasStatus } from './status.tsx';

const groupingTitles = {
  folder: 'Group Flows by Folder',
  connector: 'Group Flows by Connector',
  none: 'No Groups of Flows',
  automatic: 'Group Flows Where There Are Many',
} as const;

/** The project as a picture, and the same as a list. */
export function contributeCanvas(studio: Studio): void {
  const { commands, contributions, layout, project } = studio;
  const canvas = new Canvas(studio);
  contributions.addEditorKind({
    kind: 'canvas',
    // Drawing is a large part of the window, and not everybody's first look.
    view: lazy(async () => ({ default: (await import('./view.tsx')).canvasView(canvas) })),
    title: () => project.info.value?.name ?? 'Canvas',
    icon: () => ({ name: 'graph' }),
  });
  contributions.addKept(keptGrouping(canvas.grouping));
  contributions.addStatus({ id: 'canvas', side: 'right', order: 10, view: canvasStatus(canvas) });
  contributions.addSideView({ id: 'flows', title: 'Flows', icon: 'flows', order: 20, view: flowsView(canvas) });
  const properties = contributeForms(studio, (form) => headOf(canvas, form));
  followSplit(studio, canvas);
  const creating = new Creating(studio, canvas);
  contributions.addOverlay({ id: 'canvas.creation', view: creationDialog(creating) });
  const enabled = () => project.info.value !== undefined;
  const isDrawn = () => canvas.drawn.value.graph.nodes.length > 0;
  commands.add(
    {
      id: 'canvas.open',
      title: 'View: Canvas',
      keys: 'mod+alt+c',
      enabled,
      run: () => {
        layout.open(tabOf('canvas', ''));
        layout.state.patch({ isAuxiliaryOpen: true });
      },
    },
    { id: 'canvas.list', title: 'View: Flows', keys: 'mod+alt+l', run: () => layout.showSide('flows') },
    { id: 'canvas.tidy', title: 'Canvas: Tidy', enabled, run: () => canvas.draw(true) },
    ...(['folder', 'connector', 'none', 'automatic'] as const).map((grouping) => ({
      id: `canvas.group.${grouping}`,
      title: `Canvas: ${groupingTitles[grouping]}`,
      enabled,
      run: () => canvas.grouping.set(grouping),
    })),
    {
      id: 'canvas.addConnector',
      title: 'Canvas: Add Connector',
      enabled,
      run: () => creating.dialog.set({ kind: 'connector' }),
    },
    {
      id: 'canvas.addFlow',
      title: 'Canvas: Add Flow',
      enabled: () => enabled() && creating.connectors.length > 0,
      run: (ends) => creating.begin((ends as FlowEnds | undefined) ?? {}),
    },
    {
      id: 'canvas.addStage',
      title: 'Canvas: Add Stage',
      enabled: () => canvas.place?.flow !== undefined,
      whyNot: () => 'no flow is selected',
      run: (at) => {
        const place = (at as AddPlace | undefined) ?? { id: canvas.selected.value ?? '' };
        return addStage(studio, canvas, place, (path, offset) => properties.fillIn(path, offset));
      },
    },
    {
      id: 'canvas.flowFrom',
      title: 'Canvas: New Flow from Here',
      enabled: () => canvas.place?.connector?.word === 'connector',
      whyNot: () => 'no connector is selected',
      run: () => creating.begin({ from: canvas.place?.connector?.name }),
    },
    {
      id: 'canvas.undo',
      title: 'Canvas: Undo',
      enabled: () => enabled() && studio.focus.value !== undefined,
      run: () => project.documents.value.get(studio.focus.value?.path ?? '')?.model.undo(),
    },
    {
      id: 'canvas.redo',
      title: 'Canvas: Redo',
      enabled: () => enabled() && studio.focus.value !== undefined,
      run: () => project.documents.value.get(studio.focus.value?.path ?? '')?.model.redo(),
    },
    {
      id: 'canvas.exportSvg',
      title: 'Canvas: Export as SVG',
      enabled: isDrawn,
      run: () => exportCanvas(studio, canvas, 'svg'),
    },
    {
      id: 'canvas.exportPng',
      title: 'Canvas: Export as PNG',
      enabled: isDrawn,
      run: () => exportCanvas(studio, canvas, 'png'),
    },
    {
      id: 'canvas.showText',
      title: 'Canvas: Show in Text',
      enabled: () => canvas.place !== undefined,
      run: async () => {
        const { place } = canvas;
        if (place) await revealOffsets(studio, place.file, place.start, place.start);
      },
    },
  );
}
