import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { textOf } from '../../../../../test/support/pdf.ts';
import { type TargetBed, targetConformance } from '../../testing/target-conformance.ts';
import { pdfChromium } from './spec.ts';
import { chromiumBed } from './testing/bed.ts';

/** Each call starts a browser, so that few are made side by side; calls that are given up are in `ending.test.ts`. */
async function targetBed(): Promise<TargetBed> {
  const bed = chromiumBed({ 'template.html': '<pre>{{.text}}</pre>' });
  return {
    spec: pdfChromium,
    connector: (services) => bed.connector({ output_dir: 'kept' }, services),
    call: { verb: 'create', operation: 'save' },
    echo: async (execute, text) => {
      const filename = `${Buffer.from(text).toString('hex').slice(0, 60)}.pdf`;
      // White space at the ends of a line is not in the text of a document.
      await execute({ payload: { text: `[${text}]`, filename } });
      return textOf(readFileSync(join(bed.folder, 'kept', filename)))
        .trim()
        .slice(1, -1);
    },
    sideBySide: 3,
    malformed: ['GET /a', 'print', 'generate twice'],
    secrets: [],
    close: () => bed.close(),
  };
}

targetConformance('pdf with a browser', targetBed);
