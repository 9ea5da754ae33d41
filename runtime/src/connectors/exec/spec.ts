import type { TargetSpec } from '@svc/protocol/schema';
import { argument, block, duration, int, list, ofPlace, oneOf, size, text } from '@svc/protocol/schema';
import { everyConnector, operationAttributes, operationLabel, param } from '../core/spec.ts';

const args = list(
  'First arguments of the program, as they are written.',
  text('One argument.', { pattern: { source: '^[^\\0]*$', says: 'must not hold NUL' } }),
  { example: '["--quiet", "--format", "json"]' },
);

const inputFormats = ['json', 'stdin', 'args'] as const;
const outputFormats = ['json', 'text', 'lines', 'binary'] as const;

const inputFormat = {
  doc: 'How the program gets the fields of a call: `json` and `stdin` as JSON on its standard input, which is empty without them; `args` as one argument `--name=value` for each field that the configuration names, sorted by name.',
  values: inputFormats,
} as const;
const outputFormat = {
  doc: 'How its standard output is read: `json` as rows, and as `{output}` where it is not JSON; `text` as `{output}`; `lines` as `{line, value}` for each line that is not empty; `binary` as a file.',
  values: outputFormats,
} as const;
const contentType = 'Media type of the file that `output_format = "binary"` gives.';

/** What both drivers say. */
export const execAttributes = {
  command: text(
    'The program: a name, which is looked for in `PATH`, or a path. With `shell` it is a line of the shell.',
    {
      required: true,
      pattern: { source: '^[^\\0]*[^\\0\\s][^\\0]*$', says: 'must name a program' },
      example: '"sort"',
    },
  ),
  args,
  shell: text(
    'The shell that runs `command`, with the option that takes a line: `"bash -c"`. `true` is `sh -c`, `false` leaves it out. Arguments are put behind the line, each between single quotes.',
    { example: '"bash -c"' },
  ),
  timeout: duration('Longest time for one call, the wait for its turn included. Then the program is ended.', {
    default: 30_000,
    min: 1,
  }),
  kill_after: duration(
    'A program that is ended gets SIGTERM, and after this time SIGKILL, with every process that it started.',
    { default: 2_000, min: 0, max: 60_000 },
  ),
  input_format: oneOf(inputFormat.doc, inputFormat.values, { default: 'json' }),
  output_format: oneOf(outputFormat.doc, outputFormat.values, { default: 'json' }),
  content_type: text(contentType, { default: 'application/octet-stream', example: '"image/png"' }),
  max_output: size('Most bytes of standard output. A program that writes more is ended, and its call fails.', {
    default: 16 * 1024 * 1024,
    min: 1,
    max: 16 * 1024 * 1024 * 1024,
  }),
  max_stderr: size('Last bytes of standard error that the failure of a call shows.', {
    default: 4096,
    min: 0,
    max: 65_536,
  }),
  max_processes: int('Most programs at a time; further calls wait for their turn.', { default: 8, min: 1, max: 1024 }),
  max_waiting: int('Most calls that wait; a further one fails at once.', { default: 1000, min: 0, max: 100_000 }),
  ...everyConnector.attributes,
} as const;

export const execEnv = block({
  doc: 'Variables of the program. They are added to those that it gets of the service.',
  asAttribute: true,
  fields: text('Value of one variable.', {
    required: true,
    secret: true,
    pattern: { source: '^[^\\0]*$', says: 'must not hold NUL' },
  }),
});

/** `operation "name"` of a connector that runs programs. */
export const execOperation = block({
  doc: 'A program under a name that flows write in `operation`, with what differs from the block of the connector.',
  label: operationLabel,
  repeated: true,
  attributes: {
    ...operationAttributes,
    command: text('The program, or the line of the shell; that of the connector when absent.'),
    args,
    input_format: oneOf(inputFormat.doc, inputFormat.values),
    output_format: oneOf(outputFormat.doc, outputFormat.values),
    content_type: text(contentType),
  },
  blocks: { param },
});

/** How flows use it. */
export const execTarget: TargetSpec = {
  abilities: ['read', 'write', 'call'],
  needsOneOf: [],
  runs: true,
  checkOperation: nulProblem,
  checkTarget: nulProblem,
};

function nulProblem(text: string): string | undefined {
  return text.includes('\0') ? 'an argument of a program cannot hold NUL' : undefined;
}

const spoken = {
  args: argument(
    'Further arguments, behind those of the connector, the operation and the target. A list gives one argument for each of its elements, null none. A value of the message that begins with `-` is refused, unless `"--"` is an argument before it.',
    { reads: ofPlace, example: '["-n", "input.count", "--", "input.file"]' },
  ),
  stdin: argument(
    'What the program reads from its standard input, instead of the fields of the call: a text, bytes or a file as they are, anything else as JSON.',
    { reads: ofPlace, example: '"input.files.photo"' },
  ),
};

/** What may be written in blocks that name such a connector. */
export const execWords = {
  to: block({ doc: 'What a destination says of a program.', attributes: spoken }),
  step: block({ doc: 'What a step says of a program.', attributes: spoken }),
  action: block({ doc: 'What an action says of a program.', attributes: spoken }),
  enrich: block({ doc: 'What an enrichment says of a program.', attributes: spoken }),
} as const;
