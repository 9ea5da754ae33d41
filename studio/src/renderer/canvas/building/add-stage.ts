import type { StageChoice, StageFamily } from '@svc/protocol/language';
import { paletteOf } from '../../palette/palette.ts';
import type { Studio } from '../../shell/studio.ts';
import type { Canvas } from '../canvas.ts';
import { families, familyTitles } from '../graph/families.ts';
import { type OutlinePlace, placeAt, placesOf } from '../graph/places.ts';

/** Where a stage is asked for. */
export interface AddPlace {
  /** The id of a flow, or of a stage or rule in one. */
  readonly id: string;
  /** The lane that is offered first; absent: that of the place. */
  readonly family?: StageFamily | undefined;
}

/** Lets the person choose a stage from those that a flow may still have, and writes it where a message meets it. */
export async function addStage(
  studio: Studio,
  canvas: Canvas,
  { id, family }: AddPlace,
  enter: (path: string, offset: number) => void,
): Promise<void> {
  const place = canvas.places.get(id);
  if (place?.flow === undefined) throw new Error('Select a flow or a stage: a new stage is written into it.');
  const { flow } = place;
  const choices = await studio.language.ask('stageChoices', [flow.file, flow.range.start]);
  const write = async ({ path }: StageChoice, label: string | undefined) => {
    const behind = place.stage?.file === flow.file ? place.stage.range.start : undefined;
    const stage = { path, label, behind };
    const { edits, select } = await studio.language.ask('insertStage', [flow.file, flow.range.start, stage]);
    await studio.project.apply([{ file: flow.file, edits }]);
    canvas.setOpen(flow.id, true);
    studio.focus.set({ path: flow.file, ...select, by: 'canvas' });
    // The outline is asked behind the edit, so that it has what was written.
    const places = placesOf(await studio.language.ask('outline', []));
    const written = placeAt(places, flow.file, select.start);
    if (written !== undefined) canvas.selectWhenDrawn(written.id, false);
    enter(flow.file, select.start);
    studio.announce(`${path.join(' ')} added to ${flow.name}`);
  };
  const first = family ?? place.stage?.family;
  paletteOf(studio).pick({
    placeholder: `Add a stage to ${flow.name}`,
    nothing: 'No stage of this name may be written here.',
    items: () =>
      inOrder(choices, first).map((choice) => ({
        id: choice.path.join(' '),
        title: choice.path.join(' '),
        detail: sentenceOf(choice.documentation),
        icon: { name: choice.family, className: `ink ${choice.family}` },
        group: choice.family === first ? `${familyTitles[choice.family]}, here` : familyTitles[choice.family],
        run: () => (choice.label === undefined ? write(choice, undefined) : askLabel(studio, place, choice, write)),
      })),
  });
}

function askLabel(
  studio: Studio,
  { flow }: OutlinePlace,
  choice: StageChoice,
  write: (choice: StageChoice, label: string) => Promise<void>,
): void {
  const word = choice.path.join(' ');
  const taken = new Set(flow?.stages.filter((stage) => stage.word === word).map(({ name }) => name));
  paletteOf(studio).pick({
    placeholder: `Name of the ${word}: ${sentenceOf(choice.label ?? '')}`,
    nothing: `Type the name of the ${word}, one that no other ${word} of the flow has.`,
    isFiltered: true,
    items: (query) =>
      query === '' || taken.has(query)
        ? []
        : [{ id: query, title: `${word} "${query}"`, icon: { name: 'plus' }, run: () => write(choice, query) }],
  });
}

/** Those of the lane that was asked first, then the others in the order in which a message meets them. */
function inOrder(choices: readonly StageChoice[], first: StageFamily | undefined): readonly StageChoice[] {
  const order = first === undefined ? families : [first, ...families.filter((family) => family !== first)];
  return order.flatMap((family) => choices.filter((choice) => choice.family === family));
}

/** The first sentence of a documentation, without its marks. */
function sentenceOf(documentation: string): string {
  return (/^.*?[.:](?=\s|$)/s.exec(documentation)?.[0] ?? documentation).replaceAll('`', '').replace(/[.:]$/, '');
}
