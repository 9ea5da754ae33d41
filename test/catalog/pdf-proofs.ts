import type { Proof } from './proof.ts';

const connector = 'runtime/src/connectors/pdf/connector.test.ts';
const layout = 'runtime/src/connectors/pdf/layout.test.ts';
const limits = 'runtime/src/connectors/pdf/limits.test.ts';
const sizes: Proof = [layout, 'page_size and orientation: %j'];
const margins: Proof = [layout, 'margin_left, margin_top and margin_right are millimetres, 0 is 15'];

/** What is written of a connector that makes documents. */
export const pdf: Readonly<Record<string, Proof>> = {
  template: [connector, 'answers the document with its type, name and size: %s'],
  page_size: sizes,
  orientation: sizes,
  font: [layout, 'font: a built-in family, and bold and italic of it'],
  margin_left: margins,
  margin_top: margins,
  margin_right: margins,
  output_dir: [
    connector,
    'keeps the document, makes the folders, answers where it is; the file is replaced at once (S-82)',
  ],
  escape: [connector, 'escape: values are text; without it, and with raw, they may be markup'],
  max_pages: [limits, 'a document of more pages is refused, and others are made'],
  timeout: [limits, 'a document that takes longer is given up, and its thread is free again'],
};

const browser = 'runtime/src/connectors/pdf/chromium/connector.test.ts';
const printed: Proof = [
  browser,
  'has the size, the orientation and the margins of the connector, which those of the template win over',
];
const edges: Proof = [browser, 'margin_right and margin_top are millimetres, and 0 is 15'];
const ending = 'runtime/src/connectors/pdf/chromium/ending.test.ts';
const reported: Proof = [ending, 'is reported at start when it is not there, or would run without its sandbox'];

/** What is written of a connector whose documents a browser prints. */
export const pdfChromium: Readonly<Record<string, Proof>> = {
  template: [browser, 'has pictures and style sheets of the folder of its template'],
  page_size: printed,
  orientation: printed,
  margin_left: printed,
  margin_top: edges,
  margin_right: edges,
  output_dir: [browser, 'is kept in output_dir'],
  escape: [browser, 'has the values as text, in every script that the machine has a font for'],
  timeout: [ending, 'A-04: is ended with everything that it started when it takes too long'],
  executable: reported,
  sandbox: reported,
  max_processes: [browser, 'is made by a browser of its own, and nothing of that is left'],
};
