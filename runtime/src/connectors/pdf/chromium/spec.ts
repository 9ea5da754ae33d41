import { block, connector, flag, int, text } from '@svc/protocol/schema';
import { documentAttributes, documentTarget } from '../spec.ts';

/** `type = "pdf"`, `driver = "chromium"`: documents that a browser prints. */
export const pdfChromium = connector({
  type: 'pdf',
  driver: 'chromium',
  canonical: 'pdf',
  kind: 'file',
  config: block({
    doc: 'Makes PDF documents as the connector `pdf` does, printed by a Chromium of the machine, with everything that it knows of HTML and CSS: `@page` of the template wins over size and margins of the connector. A document has no scripts, no other pages in it and no network: pictures, fonts and style sheets are files in the folder of the template.',
    attributes: {
      ...documentAttributes,
      executable: text(
        'The browser: a name in `PATH`, or a path. `chromium`, `chromium-browser` and `google-chrome` are looked for when absent.',
        { example: '"/usr/bin/chromium"' },
      ),
      sandbox: flag(
        'Whether the browser keeps its sandbox. It refuses to be run by the superuser with it: run the service as another user.',
        { default: true },
      ),
      max_processes: int('Browsers that run at the same time; further documents wait for their turn.', {
        default: 2,
        min: 1,
        max: 64,
      }),
    },
    example: `connector "brochures" {
  type     = "pdf"
  driver   = "chromium"
  template = "./templates/brochure.html"
}`,
  }),
  target: documentTarget,
});
