import { quote } from '@svc/protocol/syntax';
import { isContainer } from '../../values/values.ts';
import type { StageRun, Thread } from '../session/thread.ts';
import { withoutSecrets } from './kept-whole.ts';

/** A call that a run made. */
export interface MadeCall {
  readonly connector: string;
  readonly run: StageRun;
  /** Whether it wrote; its fields are expected of it then. */
  readonly writes: boolean;
}

/**
 * A test that says what a run did: its input, a mock for each call in the order in which they were made, and what came
 * of it. What differs from run to run is expected by its shape: texts with `uuid()`; `now()` is the clock of the test.
 */
export function testOf(thread: Thread, calls: readonly MadeCall[], name: string): string {
  const { flow, ended, values } = thread;
  const written = [...values.values()];
  const clock = written.find(
    ({ expression, error, result }) => /\bnow\(\)/.test(expression) && !error && isTime(result),
  );
  const unstable = new Set(
    written.filter(({ expression }) => /\buuid\(\)/.test(expression)).map(({ result }) => String(result)),
  );
  const expected = (value: unknown) => (text: string) =>
    unstable.has(text) ? `cel("size(value) == ${text.length}")` : value === undefined ? '' : quote(text);
  const write = (value: unknown, indent: string) => literal(value, indent, expected(value));
  const lines = [`test ${quote(name)} {`, `  flow  = ${quote(flow)}`];
  if (clock !== undefined) lines.push(`  clock = ${quote(String(clock.result))}`);
  lines.push(`  input = ${literal(inputOf(thread), '  ', quote)}`, '');
  for (const { connector, run } of calls) {
    lines.push(`  mock ${quote(connector)} {`);
    if (run.error) lines.push(`    error = ${quote(run.error)}`);
    else lines.push(`    result = ${literal(withoutSecrets(answerOf(run)), '    ', quote)}`);
    lines.push('    times  = 1', '  }', '');
  }
  lines.push('  expect {');
  const status = written.find(({ target, stage }) => target === 'http_status_code' && stage === 'response');
  if (ended?.error) lines.push(`    error = ${quote(ended.error)}`);
  else if (ended?.dropped) lines.push(`    dropped = ${quote(ended.dropped.decidedBy)}`);
  else {
    if (Number.isInteger(Number(status?.result))) lines.push(`    status = ${Number(status?.result)}`);
    const answer = ended?.output ?? null;
    const shown = withoutSecrets(answer);
    // What is left out may not be expected to be absent.
    const isWhole = JSON.stringify(shown) === JSON.stringify(answer);
    lines.push(`    ${isWhole ? 'output' : 'output_has'} = ${write(shown, '    ')}`);
  }
  for (const { connector, run, writes } of calls) {
    if (!writes || run.error || !isContainer(run.input)) continue;
    lines.push('', `    call ${quote(connector)} {`, `      params = ${write(withoutSecrets(run.input), '      ')}`);
    lines.push('    }');
  }
  return [...lines, '  }', '}', ''].join('\n');
}

/** Headers that say how a request travelled, and not what it asked for. */
const travelling =
  /^(host|connection|content-length|transfer-encoding|accept-encoding|user-agent|keep-alive|sec-.*|traceparent)$/i;

/** The input without credentials, and without headers unless a rule of the flow reads them. */
function inputOf({ input, values }: Thread): unknown {
  const whole = withoutSecrets(input);
  if (!isContainer(whole) || Array.isArray(whole) || !('headers' in whole)) return whole;
  const { headers, ...rest } = whole as Readonly<Record<string, unknown>>;
  const reads = [...values.values()].some(({ expression }) => expression.includes('headers'));
  if (!reads || !isContainer(headers)) return rest;
  return { ...rest, headers: Object.fromEntries(Object.entries(headers).filter(([name]) => !travelling.test(name))) };
}

/** What a mock answers: rows of a read, as the call itself gave them. */
function answerOf({ output }: StageRun): unknown {
  if (isContainer(output) && 'items' in output && Array.isArray(output.items)) return output.items;
  return output ?? [];
}

function isTime(value: unknown): boolean {
  return typeof value === 'string' && /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value);
}

/** A constant of HCL. `text`: how texts are written. */
function literal(value: unknown, indent: string, text: (text: string) => string): string {
  if (typeof value === 'string') return text(value);
  if (!isContainer(value)) return String(value ?? null);
  const inner = `${indent}  `;
  if (Array.isArray(value)) {
    if (value.length === 0) return '[]';
    return `[\n${value.map((item) => `${inner}${literal(item, inner, text)},\n`).join('')}${indent}]`;
  }
  const entries = Object.entries(value);
  if (entries.length === 0) return '{}';
  const key = (name: string) => (/^[A-Za-z_][\w-]*$/.test(name) ? name : quote(name));
  return `{\n${entries.map(([name, item]) => `${inner}${key(name)} = ${literal(item, inner, text)}\n`).join('')}${indent}}`;
}
