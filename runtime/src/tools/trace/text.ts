import type {
  RecordedFlow,
  RecordedOutcome,
  RecordedRule,
  RecordedSimulation,
  RecordedStage,
  Recording,
  StageState,
} from './recording.ts';

/** Characters of one value that are shown. */
const longest = 2_000;

const paint = { dim: '\u001b[2m', bold: '\u001b[1m', red: '\u001b[31m', yellow: '\u001b[33m', green: '\u001b[32m' };
type Shade = (text: string, name: keyof typeof paint) => string;

/** A run for people: numbered stages, the rules of each with what they gave, and how it ended. */
export function recordingText(recording: Recording, colour: boolean): string {
  const shade: Shade = (text, name) => (colour && text !== '' ? `${paint[name]}${text}\u001b[0m` : text);
  const { flow, dryRun, run, outcome } = recording;
  const [first] = run.stages;
  const at = first?.at ? shade(`  ${first.at}`, 'dim') : '';
  const lines = [`${shade(`flow "${flow}"`, 'bold')}${dryRun ? ' [dry-run]' : ''}${at}`, ''];
  lines.push(...flowLines(run, shade, ''), '', ...outcomeLines(outcome, run.durationUs, shade));
  return `${lines.join('\n')}\n`;
}

function flowLines({ stages, simulated, flows }: RecordedFlow, shade: Shade, indent: string): string[] {
  const width = Math.max(...stages.map(({ stage, name }) => titleOf(stage, name).length), 0);
  const lines = stages.flatMap((stage, at) => stageLines(stage, at + 1, width, shade).map((line) => indent + line));
  for (const each of simulated) lines.push(`${indent}    ${simulationLine(each)}`);
  for (const each of flows) lines.push(...calledLines(each, shade, `${indent}    `));
  return lines;
}

function stageLines(stage: RecordedStage, number: number, width: number, shade: Shade): string[] {
  const { state, rules, simulated, flows } = stage;
  const title = titleOf(stage.stage, stage.name).padEnd(width);
  const marks = [...(state === 'skipped' ? [] : [took(stage.durationUs)]), ...markOf(state, shade)];
  if (simulated.length > 0) marks.push(shade('[dry-run]', 'yellow'));
  const lines = [`${String(number).padStart(2)}  ${shade(title, 'bold')}  ${marks.join('  ')}`.trimEnd()];
  const column = Math.max(...rules.map(({ target }) => target.length), 0);
  for (const rule of rules) lines.push(`      ${ruleLine(rule, column, shade)}`);
  for (const each of simulated) lines.push(`      ${simulationLine(each)}`);
  for (const each of flows) lines.push(...calledLines(each, shade, '      '));
  if (stage.error !== undefined && !rules.some(({ error }) => error === stage.error))
    lines.push(`      ${shade(`error: ${stage.error}`, 'red')}${placed(stage.at)}`);
  if (stage.value !== undefined && simulated.length === 0) lines.push(`      → ${valueText(stage.value)}`);
  return lines;
}

function ruleLine({ target, expression, at, durationUs, value, error }: RecordedRule, column: number, shade: Shade) {
  const source = expression.replace(/\s+/g, ' ').trim();
  const gave = error === undefined ? `= ${valueText(value)}` : shade(`! ${error}`, 'red') + placed(at);
  return `${target.padEnd(column)}  ${shade(source, 'dim')}  ${gave}  ${shade(took(durationUs), 'dim')}`;
}

function simulationLine({ connector, operation, answer }: RecordedSimulation): string {
  return `[dry-run] ${connector}: ${operation} not done: ${valueText(answer)}`;
}

function calledLines(flow: RecordedFlow, shade: Shade, indent: string): string[] {
  return [`${indent}flow "${flow.flow}"  ${took(flow.durationUs)}`, ...flowLines(flow, shade, `${indent}  `)];
}

function markOf(state: StageState, shade: Shade): string[] {
  switch (state) {
    case 'done':
      return [];
    case 'failed':
      return [shade('failed', 'red')];
    default:
      return [shade(state === 'open' ? 'not finished' : state, 'yellow')];
  }
}

function outcomeLines(outcome: RecordedOutcome, durationUs: number, shade: Shade): string[] {
  const within = `in ${took(durationUs)}`;
  switch (outcome.kind) {
    case 'reply': {
      const { value, status, headers, note } = outcome;
      const lines = [`${shade(status === undefined ? 'answered' : `answered ${status}`, 'green')} ${within}`];
      if (headers !== undefined) lines.push(`  headers ${valueText(headers)}`);
      lines.push(`  ${valueText(value)}`);
      if (note !== undefined) lines.push(`  note: ${note}`);
      return lines;
    }
    case 'drop': {
      const { decidedBy, reason, expression, values, disposition, messageId } = outcome;
      const lines = [`${shade(`dropped by ${decidedBy}`, 'yellow')} ${within}: ${expression}`];
      for (const [name, value] of Object.entries(values)) lines.push(`  ${name} = ${valueText(value)}`);
      lines.push(`  reason ${reason}, disposition ${disposition}${messageId === '' ? '' : `, message ${messageId}`}`);
      return lines;
    }
    case 'failure': {
      const { code, message, stage, connector, at, fields, upstream, note, reply } = outcome;
      const where = [stage === '' ? '' : `stage ${stage}`, connector === '' ? '' : `connector ${connector}`];
      const lines = [
        `${shade(`failed: ${code}`, 'red')} ${within}${where
          .filter(Boolean)
          .map((each) => `, ${each}`)
          .join('')}${placed(at)}`,
        `  ${message}`,
      ];
      for (const { field, message: why } of fields) lines.push(`  ${field}: ${why}`);
      if (upstream !== undefined) lines.push(`  it answered ${upstream.status}: ${cut(upstream.body)}`);
      if (note !== undefined) lines.push(`  note: ${note}`);
      if (reply !== undefined)
        lines.push(
          `  the caller is answered ${reply.status ?? ''} ${valueText(reply.value)}`.replace(/ {2,}(?=\S)/, '  '),
        );
      return lines;
    }
  }
}

function titleOf(stage: string, name: string): string {
  return name === '' ? stage : `${stage} ${name}`;
}

function placed(at: string): string {
  return at === '' ? '' : ` (${at})`;
}

function valueText(value: unknown): string {
  return cut(JSON.stringify(value) ?? 'null');
}

function cut(text: string): string {
  return text.length <= longest ? text : `${text.slice(0, longest)}… (${text.length} characters)`;
}

function took(microseconds: number): string {
  return `${(microseconds / 1000).toFixed(microseconds < 10_000 ? 3 : 1)} ms`;
}
