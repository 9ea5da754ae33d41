import { isRoot } from '../../../../runtime/src/connectors/pdf/chromium/testing/bed.ts';
import { textOf } from '../../../support/pdf.ts';
import { chromium } from '../../../support/servers/chromium.ts';
import type { OtherEnd, Row } from '../row.ts';

/** The program of poppler that reads documents is not here. */
const isUnread = process.env['TEST_PDFTOTEXT'] === undefined;

export const printing: readonly Row[] = [
  { name: 'pdf', connector: 'pdf', isMissing: isUnread, start: (name) => printer(name) },
  {
    name: 'pdf_chromium',
    connector: 'pdf/chromium',
    isMissing: isUnread || !chromium.isInstalled(),
    // The sandbox of the browser cannot be used by the superuser.
    start: (name) => printer(name, isRoot ? { sandbox: false } : {}),
  },
];

/** A flow that answers with a document. */
function printer(name: string, block: OtherEnd['block'] = {}): OtherEnd {
  return {
    block: { template: 'text.html', ...block },
    files: { 'text.html': '<p>{{ .text }}</p>' },
    hcl: `
flow "${name}_sends" {
  from {
    connector = "api"
    operation = "POST /${name}"
  }
  transform {
    text = "input.text"
  }
  to {
    connector = "${name}"
    operation = "generate"
  }
}
`,
    sends: async (text, { address }) => {
      const answer = await fetch(`${address}/${name}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ text }),
      });
      return answer.ok ? textOf(await answer.bytes()).trim() : answer.text();
    },
  };
}
