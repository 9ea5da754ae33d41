import type { ConnectorDeclaration, ProjectRule, Report } from '@svc/protocol/model';
import { isWritten, originOf, writtenIn } from '@svc/protocol/schema';
import { specsOf, titleOf } from '../../../connectors/core/declaration.ts';
import { resolveOperation } from '../../../connectors/core/operations.ts';
import type { ActionValues } from '../../../engine/flow/action/place.ts';
import { sagaOf, sagasOf } from '../../../engine/flow/declarations.ts';
import type { FlowRule } from '../../../engine/flow/every-flow.ts';
import { type AskingValues, targetPlaces } from '../../../engine/flow/flow-places.ts';
import { sagaPlaces } from '../../../engine/flow/sagas/places.ts';
import type { SagaDeclaration, SagaStepValues } from '../../../engine/flow/sagas/saga.ts';
import { sourcesIn } from '../../../engine/flow/sources-in.ts';
import { flow } from '../../../engine/flow/spec.ts';
import { checkRetry } from '../../../engine/flow/stages/error-handling/rules.ts';
import { verbOfWord } from '../../../engine/flow/verb.ts';
import { service } from '../../../engine/settings/spec.ts';
import { checkPlaceholders, lexisOf, namesOf } from './statements.ts';
import { warnOfEmpty } from './targets.ts';

/** Sagas can start, have a name of their own, and wait only where a wait outlives the process. */
export const checkSagas: ProjectRule = (project, report) => {
  const flows = new Map(project.all('flow', flow).map((one) => [one.name, one]));
  const settings = project.one('service', service);
  const isDurable = settings !== undefined && 'workflow' in settings && settings.workflow !== undefined;
  for (const saga of sagasOf(project)) {
    const { name, nameOrigin, values } = saga;
    const same = flows.get(name);
    if (same)
      report('duplicate-name', `the saga "${name}" has the name of a flow`, nameOrigin, {
        help: 'Rename one of them: a saga counts as a flow of its name.',
        related: [{ message: 'the flow is here', ...same.nameOrigin }],
      });
    if (!values.from)
      report('unreachable-saga', `nothing starts the saga "${name}"`, nameOrigin, {
        severity: 'warning',
        help: 'Write a from block into it.',
      });
    for (const step of values.step) {
      checkStep(step, saga, isDurable, report);
      checkRetry(`step "${step.label}"`, step.retry, report);
      if (step.retry && !step.action)
        inert(
          report,
          `step "${step.label}" has no action, so nothing is tried again`,
          originOf(step.retry),
          'Remove retry.',
        );
    }
    for (const { name: place, title, values: block } of sagaPlaces(saga)) {
      if (place !== 'on_failure' && !place.endsWith('.compensate')) checkError(title, block, report);
      if (block.operation === '') warnOfEmpty(block, report);
      if (block.connector === undefined)
        for (const word of writtenIn(block).filter((one) => one !== 'connector'))
          inert(report, `${title} names no connector, so ${word} has no effect`, originOf(block, word), 'Name one.');
    }
  }
};

/** `error` is a variable everywhere in a saga, so that texts about it are expressions; it has fields where something failed: in `compensate` and `on_failure`. */
function checkError(title: string, block: ActionValues, report: Report): void {
  for (const { source, origin } of sourcesIn(block))
    if (/(^|[^\w.'"])error\s*[.[]/.test(source))
      report('empty-variable', `error is known in compensate and on_failure; in ${title} this fails`, origin, {
        severity: 'warning',
        help: 'Remove it, or move the block to on_failure.',
      });
}

function checkStep(step: SagaStepValues, { name }: SagaDeclaration, isDurable: boolean, report: Report): void {
  const { label, delay, await: event, action, timeout } = step;
  const word = delay !== undefined ? 'delay' : 'await';
  if ((delay !== undefined || event !== undefined) && !isDurable)
    report(
      'workflow-missing',
      `step "${label}" of saga "${name}" waits, and nothing keeps the saga meanwhile`,
      originOf(step, word),
      { help: 'Write service { workflow { storage = "<a database connector>" } }.' },
    );
  if (event === '')
    report(
      'malformed-value',
      `step "${label}" of saga "${name}" waits for an event without a name`,
      originOf(step, 'await'),
      {
        help: 'Write the name of the event, such as await = "keys_collected", or remove await.',
      },
    );
  if (timeout !== undefined && !action && event === undefined)
    inert(report, 'timeout limits an action or the wait for an event', originOf(step, 'timeout'), 'Remove it.');
  if (isWritten(step, 'on_error') && !action && event === undefined)
    inert(report, 'a step that only lets time pass does not fail', originOf(step, 'on_error'), 'Remove it.');
}

/** Every block of a saga that names a connector says what it asks, in words that have an effect there. */
export const checkSagaActions: FlowRule = (declaration, connectors, report) => {
  if (sagaOf(declaration) === undefined) return;
  for (const place of targetPlaces(declaration)) {
    if (place.kind !== 'action') continue;
    const connector = connectors.get(place.values.connector);
    if (connector) checkAction(place.title, place.values, connector, declaration.name, report);
  }
};

function checkAction(
  title: string,
  values: AskingValues,
  connector: ConnectorDeclaration,
  saga: string,
  report: Report,
): void {
  const specs = specsOf(connector);
  const targets = specs.flatMap(({ target }) => target ?? []);
  if (targets.length === 0) return;
  const at = originOf(values, 'connector');
  const word = typeof values.target === 'object' && values.target.kind === 'constant' ? values.target.value : undefined;
  const named =
    resolveOperation(connector, values.operation) ??
    (typeof word === 'string' ? resolveOperation(connector, word) : undefined);
  const operation = named ? named.operation : values.operation;
  const query = values.query ?? named?.query;
  const isCall = /[/ ]/.test(operation ?? '') && targets.some(({ abilities }) => abilities.includes('call'));
  const verb = verbOfWord(operation);
  const reads = !isCall && (verb === undefined || verb === 'read');
  if (named === undefined && values.operation === undefined && query === undefined && values.target === undefined)
    report('missing-target', `${title} of saga "${saga}" does not say what to ask`, at, {
      help: 'Write one of operation, target, query.',
    });
  else if (reads && targets.every(({ abilities }) => !abilities.includes('read')))
    report('not-readable', `${titleOf(connector)} cannot be read, and ${title} of saga "${saga}" reads`, at, {
      help: 'Write an operation that writes, such as operation = "PUBLISH".',
    });
  const isTable = lexisOf(connector) !== undefined && query === undefined;
  if (isTable && (verb === 'update' || verb === 'delete') && !isWritten(values, 'where'))
    report('missing-filter', `${title} of saga "${saga}" would ${verb} every row, which is refused`, at, {
      help: 'Write where = { id = "input.id" }, or a query that means every row.',
    });
  if (isWritten(values, 'set') && verb !== 'update')
    inert(report, `${title} updates nothing, and set is for UPDATE`, originOf(values, 'set'), 'Use data.');
  if (query === undefined || values.query === undefined) return;
  const given = [values.params, values.where, values.set, values.data ?? values.body].map(namesOf);
  if (given.every((names) => names !== undefined))
    checkPlaceholders(query, lexisOf(connector), given.flat(), originOf(values, 'query'), report);
}

function inert(report: Report, message: string, at: ReturnType<typeof originOf>, help: string): void {
  report('inert-attribute', message, at, { severity: 'warning', help });
}
