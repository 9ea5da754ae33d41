import { partsOf } from '../shell/layout.ts';
import type { Studio } from '../shell/studio.ts';
import type { HeadOf } from './head.ts';
import { Properties } from './properties.ts';
import { propertiesView } from './view.tsx';

/** The selected block as a form that writes the text. */
export function contributeForms(studio: Studio, headOf: HeadOf): Properties {
  const { contributions, commands, layout } = studio;
  const properties = new Properties(studio);
  contributions.addAuxiliaryView({
    id: 'properties',
    title: 'Properties',
    order: 5,
    beside: 'canvas',
    view: propertiesView(properties, headOf),
  });
  commands.add({
    id: 'canvas.properties',
    title: 'Canvas: Properties',
    enabled: () => partsOf(layout.active ?? ':').kind === 'canvas',
    run: () => layout.state.patch({ isAuxiliaryOpen: true }),
  });
  return properties;
}
