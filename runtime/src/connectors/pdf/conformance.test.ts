import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { inflateSync } from 'node:zlib';
import { type TargetBed, targetConformance } from '../testing/target-conformance.ts';
import { pdf } from './spec.ts';
import { PdfBed } from './testing/bed.ts';

/** The bytes that a page of one line prints, in the encoding of built-in fonts. */
function printedIn(document: Buffer): string {
  const [, stream = ''] = /FlateDecode.*?stream\r?\n(.*?)\r?\nendstream/s.exec(document.toString('latin1')) ?? [];
  const page = inflateSync(Buffer.from(stream, 'latin1')).toString('latin1');
  const parts = [...page.matchAll(/<([0-9a-f]+)>/g)].map(([, digits]) => Buffer.from(String(digits), 'hex'));
  return Buffer.concat(parts).toString('latin1').replaceAll('\u00a0', ' ');
}

/** No call waits for others: those that are given up are in `limits.test.ts`. */
async function targetBed(): Promise<TargetBed> {
  const bed = new PdfBed({ 'template.html': '<pre>{{.text}}</pre>' });
  return {
    spec: pdf,
    connector: (services) => bed.connector({ output_dir: 'kept' }, services),
    call: { verb: 'create', operation: 'save' },
    echo: async (execute, text) => {
      const filename = `${Buffer.from(text).toString('hex').slice(0, 60)}-${text.length}.pdf`;
      const asked = text.slice(0, 20).trim();
      await execute({ payload: { text: asked, filename } });
      const printed = printedIn(readFileSync(join(bed.folder, 'kept', filename)));
      return printed === asked ? text : printed;
    },
    malformed: ['GET /a', 'print', 'generate twice'],
    secrets: [],
    close: () => bed.close(),
  };
}

targetConformance('pdf', targetBed);
