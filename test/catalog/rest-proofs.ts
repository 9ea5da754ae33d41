import type { Proof } from './proof.ts';

const folder = 'runtime/src/connectors/rest';
const bodies = `${folder}/bodies.test.ts`;

/** What a REST server says of bodies and answers. */
export const restServer: Readonly<Record<string, Proof>> = {
  body_formats: [bodies, '%s is decoded where it is named, and by default only JSON and forms are'],
  escape_formulas: [bodies, 'formulas in tables are written as text, unless the connector leaves them as they are'],
  answer_formats: [`${folder}/answer-formats.test.ts`, 'without formats to choose, Accept is not consulted'],
  etag: [`${folder}/versions.test.ts`, 'the tag is that of the bytes, and there only where it is written'],
  links: [`${folder}/page-links.test.ts`, 'have links where the flow reads pages and the connector says so'],
  'openapi.path': [
    `${folder}/description/description.test.ts`,
    'names its server by a path, so that a prefix which a proxy removes stays',
  ],
  'openapi.ui': [
    `${folder}/description/description.test.ts`,
    'is served where it is written, in production too, and made once',
  ],
  server_timing: [
    `${folder}/server-timing.test.ts`,
    'answers and failures say it where it is written, outside production alone',
  ],
  http2: [`${folder}/http2/http2.test.ts`, 'without `http2`, the preface is refused'],
  errors: [
    `${folder}/problems.test.ts`,
    'an answer that a flow makes of a failure stays its own, and JSON is the usual form',
  ],
};
