import { sshBlock, sshUrl } from '../../../../runtime/src/connectors/exec/testing/ssh-bed.ts';
import { type Row, sending, type Written } from '../row.ts';

/** How a program is given a text in each format of its input, and what it does with it. */
const inputs: Readonly<Record<string, readonly [block: Written, step: string]>> = {
  json: [{ command: 'cat' }, 'params = { text = "input.text" }'],
  stdin: [{ command: 'cat' }, 'stdin = "input.text"'],
  args: [{ command: 'printf', args: ['%s'] }, 'args = ["input.text"]'],
};

/** What a program prints in each format of its output, and the text in what comes of it. */
const outputs: Readonly<Record<string, readonly [block: Written, step: string, answer: string]>> = {
  json: [{ command: 'cat' }, 'params = { text = "input.text" }', 'step.sent.text'],
  text: [{ command: 'cat' }, 'stdin = "input.text"', 'step.sent.output'],
  lines: [{ command: 'cat' }, 'stdin = "input.text"', 'step.sent.value'],
  binary: [{ command: 'cat' }, 'stdin = "input.text"', 'string(base64.decode(step.sent.data))'],
};

const places = [
  { folder: 'exec/local', label: 'exec', isMissing: false, block: (): Written => ({}) },
  { folder: 'exec/ssh', label: 'ssh', isMissing: sshUrl === undefined, block: (): Written => ({ ssh: sshBlock() }) },
] as const;

export const programs: readonly Row[] = places.flatMap(({ folder, label, isMissing, block }) => [
  ...Object.entries(inputs).map(
    ([format, [program, step]]): Row => ({
      name: `${label}_${format}`,
      connector: folder,
      chosen: { input_format: format, output_format: format === 'json' ? 'json' : 'text' },
      isMissing,
      start: (name) => ({
        block: { ...block(), ...program },
        hcl: sending(name, step, format === 'json' ? 'step.sent.text' : 'step.sent.output'),
      }),
    }),
  ),
  ...Object.entries(outputs).map(
    ([format, [program, step, answer]]): Row => ({
      name: `${label}_prints_${format}`,
      connector: folder,
      chosen: { output_format: format, input_format: format === 'json' ? 'json' : 'stdin' },
      isMissing,
      start: (name) => ({ block: { ...block(), ...program }, hcl: sending(name, step, answer) }),
    }),
  ),
]);
