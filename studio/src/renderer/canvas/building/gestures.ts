import type { StageFamily } from '@svc/protocol/language';
import type { KeyboardEvent } from 'react';
import type { Studio } from '../../shell/studio.ts';
import type { Canvas } from '../canvas.ts';
import { fixMenu } from '../menu.ts';
import type { AddPlace } from './add-stage.ts';

/** What a `+` on the canvas carries: the flow, and the lane that is offered first. */
export function addMark(flow: string, family: StageFamily): string {
  return `${family} ${flow}`;
}

/** A click on a `+` or on the count of problems of a node; false for every other click. */
export function buildingClick(studio: Studio, canvas: Canvas, element: Element, x: number, y: number): boolean {
  const mark = element.closest('[data-add]')?.getAttribute('data-add');
  if (mark) {
    const at = mark.indexOf(' ');
    const place: AddPlace = { id: mark.slice(at + 1), family: mark.slice(0, at) as StageFamily };
    canvas.select(place.id);
    studio.commands.run('canvas.addStage', place);
    return true;
  }
  const counted = element.closest('[data-problems]')?.closest('[data-place]')?.getAttribute('data-place');
  const place = counted ? canvas.places.get(counted) : undefined;
  if (place === undefined) return false;
  canvas.select(place.id);
  void fixMenu(studio, place, x, y).catch(studio.commands.onFailure);
  return true;
}

/** Undo, and the fixes of what is selected; false for every other chord. */
export function buildingChord(
  studio: Studio,
  canvas: Canvas,
  { key, shiftKey }: Pick<KeyboardEvent, 'key' | 'shiftKey'>,
  x: number,
  y: number,
): boolean {
  if (key.toLowerCase() === 'z') {
    studio.commands.run(shiftKey ? 'canvas.redo' : 'canvas.undo');
    return true;
  }
  if (key !== '.' || canvas.place === undefined) return false;
  void fixMenu(studio, canvas.place, x, y).catch(studio.commands.onFailure);
  return true;
}
