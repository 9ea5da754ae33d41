import { bodyFormatNames, type FormatName, formatNames } from '../../../../runtime/src/platform/formats/format-spec.ts';
import { codecOf, mediaTypesOf } from '../../../../runtime/src/platform/formats/registry.ts';
import type { Row } from '../row.ts';
import { servicePort } from '../written.ts';

interface Sample {
  /** What the body of a request has in it. */
  readonly value: (text: string) => unknown;
  /** The text in what a flow is given. */
  readonly input: string;
}

const rows: Sample = { value: (text) => [{ text }], input: 'input.rows[0].text' };
const items: Sample = { value: (text) => [{ text }], input: 'input.items[0].text' };
const map: Sample = { value: (text) => ({ text }), input: 'input.text' };

/** A body in each format; the compiler asks for one of a new format. */
const samples: Readonly<Record<(typeof bodyFormatNames)[number], Sample>> = {
  json: map,
  form: map,
  xml: map,
  ndjson: items,
  csv: rows,
  tsv: rows,
  excel: rows,
};

const isAnswered = (format: FormatName) => (formatNames as readonly string[]).includes(format);

/** Requests and answers in each format of bodies, which another program has written and reads. */
export const codecs: readonly Row[] = bodyFormatNames.map((format) => ({
  name: `rest_${format}`,
  connector: 'rest',
  start: (name) => {
    const { value, input } = samples[format];
    const [type = ''] = mediaTypesOf(format);
    return {
      block: {
        host: '127.0.0.1',
        port: servicePort,
        body_formats: [format],
        ...(isAnswered(format) && { answer_formats: [format] }),
      },
      hcl: `
flow "${name}_takes" {
  from {
    connector = "${name}"
    operation = "POST /${name}/bodies"
  }
  response {
    text = "${input}"
  }
}
`,
      takes: async (text, { address }) => {
        const codec = await codecOf(format);
        const answer = await fetch(`${address}/${name}/bodies`, {
          method: 'POST',
          headers: { 'content-type': type, accept: isAnswered(format) ? type : 'application/json' },
          body: codec.encode(value(text)) as string,
        });
        const bytes = await answer.bytes();
        if (
          !answer.ok ||
          answer.headers.get('content-type')?.startsWith(isAnswered(format) ? type : 'application/json') !== true
        )
          return `${answer.status} ${answer.headers.get('content-type')} ${Buffer.from(bytes)}`;
        const read = isAnswered(format) ? codec : await codecOf('json');
        const decoded = await read.decode(bytes);
        return (([decoded].flat()[0] ?? {}) as { readonly text?: unknown }).text;
      },
    };
  },
}));
