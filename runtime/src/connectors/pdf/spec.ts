import type { TargetSpec } from '@svc/protocol/schema';
import { block, connector, duration, flag, float, int, oneOf, text } from '@svc/protocol/schema';
import { everyConnector } from '../core/spec.ts';
import { pdfOperation, pdfOperations } from './operations.ts';
import { pageSizeNames } from './page-sizes.ts';

const margin = (side: string) =>
  float(`Space at the ${side} of each page in millimetres; 0 is 15.`, { default: 15, min: 0, max: 500 });

/** What the blocks of all drivers say. */
export const documentAttributes = {
  template: text('The HTML file; relative to the configuration. It is read again when it has changed.', {
    required: true,
    namesFile: 'read',
    example: '"./templates/invoice.html"',
  }),
  page_size: oneOf('Size of the pages.', pageSizeNames, { default: 'A4' }),
  orientation: oneOf('How pages lie.', ['portrait', 'landscape'], { default: 'portrait' }),
  margin_left: margin('left'),
  margin_top: margin('top'),
  margin_right: margin('right'),
  output_dir: text('The folder in which `save` keeps documents; relative to the configuration.', {
    default: '.',
    namesFile: 'kept',
    example: '"./invoices"',
  }),
  escape: flag(
    'Values of the data are text, whatever is in them. Without it, markup in them is markup of the document: `raw` says so for one value.',
    { default: true },
  ),
  timeout: duration('Longest time for one document.', { default: 30_000, min: 1 }),
  ...everyConnector.attributes,
} as const;

/** How flows ask for documents. */
export const documentTarget: TargetSpec = {
  offers: pdfOperations,
  abilities: ['write'],
  takesAnswers: true,
  needsOneOf: [],
  readsBody: true,
  effect: (operation) => (pdfOperation(operation) === 'save' ? 'writes' : 'reads'),
  answersFile: (operation) => pdfOperation(operation) === 'generate',
  checkOperation: (operation) =>
    pdfOperation(operation) === undefined ? `"${operation}" is neither generate nor save` : undefined,
  checkCall: ({ place, query }) => {
    if (query !== undefined) return { word: 'query', problem: 'a document is made of the payload: there is no query' };
    return place === 'enrich' ? 'an enrichment cannot make a document: write a step' : undefined;
  },
};

/** `type = "pdf"`: documents of a template and the data of a flow. */
export const pdf = connector({
  type: 'pdf',
  kind: 'file',
  config: block({
    doc: 'Makes PDF documents of an HTML template and the payload of a flow. Values are escaped by their place in the template. The fields `template` and `filename` of the payload say which other template of the same folder is used, and what the document is called.',
    attributes: {
      ...documentAttributes,
      font: text(
        'Font of text that says none: `Helvetica`, `Times`, `Courier`, a family that the template declares with `@font-face`, or the path of a TrueType or OpenType file in the folder of the template.',
        { default: 'Helvetica', example: '"fonts/DejaVuSans.ttf"' },
      ),
      max_pages: int('Most pages of a document.', { default: 1000, min: 1, max: 20_000 }),
    },
    example: `connector "invoices" {
  type       = "pdf"
  template   = "./templates/invoice.html"
  output_dir = "./invoices"
}`,
  }),
  target: documentTarget,
});
