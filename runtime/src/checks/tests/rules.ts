import type { Declaration, Project, ProjectRule, Report } from '@svc/protocol/model';
import { isAnswered, isWritten, originOf, type Values } from '@svc/protocol/schema';
import { closest } from '@svc/protocol/text';
import { specsOf, titleOf } from '../../connectors/core/declaration.ts';
import { type FlowDeclaration, flowsOf } from '../../engine/flow/declarations.ts';
import { test } from './spec.ts';

type TestDeclaration = Declaration<Values<typeof test>>;

/** The folder that a running service does not read. */
const folder = 'tests/';

/** Tests are written below `tests/` and nothing else is; what they expect can happen to their flow. */
export const checkTests: ProjectRule = (project, report) => {
  checkPlaces(project, report);
  const flows = new Map(flowsOf(project).map((flow) => [flow.name, flow]));
  for (const declaration of project.all('test', test)) {
    const { values } = declaration;
    const flow = flows.get(values.flow);
    if (flow === undefined) reportUnknown(values, flows.keys(), report);
    if (Number.isNaN(Date.parse(values.clock)) || !/^\d{4}-\d\d-\d\dT/.test(values.clock))
      report('malformed-value', `clock of test "${declaration.name}" is not a time`, originOf(values, 'clock'), {
        help: 'Write it as RFC 3339 does: "2026-01-31T08:00:00Z".',
      });
    const { input } = values;
    if (input !== undefined && (typeof input !== 'object' || input === null || Array.isArray(input)))
      report('wrong-kind', `input of test "${declaration.name}" must be an object`, originOf(values, 'input'), {
        help: 'A message of a queue is { body = … }.',
      });
    checkCalls(declaration, project, report);
    if (flow !== undefined) checkEnd(declaration, flow, project, report);
  }
};

function checkPlaces({ files }: Project, report: Report): void {
  for (const { file, body } of files)
    for (const item of body.items) {
      if (item.kind !== 'block') continue;
      const inFolder = file.startsWith(folder);
      const at = { file, range: item.type };
      if (item.type.text === 'test' && !inFolder)
        report('misplaced-test', `a test does not belong in ${file}, which a running service reads`, at, {
          help: 'Move it to a file below tests/.',
        });
      if (item.type.text !== 'test' && inFolder)
        report('misplaced-block', `${item.type.text} is below tests/, which a running service does not read`, at, {
          help: 'Move it to a file elsewhere; only test blocks belong here.',
        });
    }
}

function reportUnknown(values: TestDeclaration['values'], names: Iterable<string>, report: Report): void {
  // A name that is missing is reported as such.
  if (!values.flow) return;
  const all = [...names];
  const near = closest(values.flow, all);
  const at = originOf(values, 'flow');
  report('unknown-flow', `there is no flow named "${values.flow}"`, at, {
    help: near ? `Did you mean "${near}"?` : all.length > 0 ? `These exist: ${all.join(', ')}.` : undefined,
    ...(near ? { fix: { title: `Change to "${near}"`, edits: [{ range: at.range, text: `"${near}"` }] } } : {}),
  });
}

/** Connectors that only take messages, or are caches, are never called. */
function checkCalls({ values }: TestDeclaration, { connectors }: Project, report: Report): void {
  for (const [word, blocks] of [
    ['mock', values.mock],
    ['call', values.expect?.call ?? []],
  ] as const)
    for (const block of blocks) {
      const connector = connectors.get(block.label);
      if (!connector || specsOf(connector).length === 0) continue;
      if (specsOf(connector).every(({ target }) => target === undefined))
        report('not-a-target', `${titleOf(connector)} is never called, so ${word} has no effect`, originOf(block), {
          help: 'Name a connector that the flow asks.',
        });
    }
}

/** A request has a status, a message of a queue a disposition. */
function checkEnd({ values }: TestDeclaration, flow: FlowDeclaration, project: Project, report: Report): void {
  const { expect } = values;
  const source = project.connectors.get(flow.values.from?.connector ?? '')?.spec?.source;
  if (!expect || source === undefined) return;
  const at = (name: string) => originOf(expect, name);
  if (source.style === 'stream' && isWritten(expect, 'status'))
    report('inert-expectation', `flow "${values.flow}" takes messages of a queue: it has no status`, at('status'), {
      help: 'Expect a disposition.',
    });
  const { disposition } = expect;
  const isHeard = isAnswered(source, flow.values.from?.operation);
  const settles = disposition !== undefined && ['ack', 'reject', 'requeue'].includes(disposition);
  if (isHeard && settles)
    report('inert-expectation', `flow "${values.flow}" answers its sender: nothing is settled`, at('disposition'), {
      help: 'Expect "reply" or "error"; a request has a status too.',
    });
  if (!isHeard && disposition === 'reply')
    report(
      'inert-expectation',
      `flow "${values.flow}" takes messages of a queue: no caller is answered`,
      at('disposition'),
      {
        help: 'Expect "ack", "reject", "requeue" or "error".',
      },
    );
}
