import { operationNeed, originOf } from '@svc/protocol/schema';
import { closest } from '@svc/protocol/text';
import { titleOf } from '../../../connectors/core/declaration.ts';
import { resolveOperation } from '../../../connectors/core/operations.ts';
import type { FlowRule } from '../../../engine/flow/every-flow.ts';
import { warnOfEmpty } from './targets.ts';

/** `from` names a connector that can be a source, and an operation of its shape. */
export const checkSources: FlowRule = (flow, connectors, report) => {
  const { from } = flow.values;
  const connector = connectors.get(from?.connector ?? '');
  if (!from || !connector) return;
  const source = connector.spec?.source;
  if (!source) {
    report('not-a-source', `${titleOf(connector)} cannot start a flow`, originOf(from, 'connector'), {
      help:
        connector.spec === undefined
          ? 'A connector with profiles can only be asked; name a server connector here.'
          : 'Name a connector that messages come from.',
    });
    return;
  }
  const refusal = source.checkConfig?.(connector.values);
  if (refusal !== undefined) {
    report('not-a-source', `${titleOf(connector)} cannot start a flow: ${refusal}`, originOf(from, 'connector'), {
      help: 'Write the block, or name a connector that messages come from.',
    });
    return;
  }
  const { operation } = from;
  if (operation === '' && source.operation !== 'required') warnOfEmpty(from, report);
  if (operation === undefined || operation === '') {
    // What only resolves references of its type is asked by them.
    const isReferred = source.typed === true && flow.values.entity !== undefined;
    if (!isReferred && operationNeed(source, connector.values) === 'required')
      report(
        'missing-operation',
        `flow "${flow.name}" says nothing about what triggers it on ${titleOf(connector)}`,
        originOf(from, 'connector'),
        { help: 'Write an operation, such as operation = "GET /orders/:id".' },
      );
    return;
  }
  const named = resolveOperation(connector, operation);
  const shape = named ? named.operation : operation;
  if (named && shape === undefined) {
    report('malformed-operation', `operation "${operation}" has no method and path`, originOf(from, 'operation'), {
      help: `Write method and path into operation "${operation}" of ${titleOf(connector)}.`,
    });
    return;
  }
  const problem = source.checkOperation?.(shape ?? '', connector.values);
  if (problem === undefined) return;
  const near = closest(operation, connector.operations.keys());
  const isWord = /^\w+$/.test(operation);
  report('malformed-operation', problem, originOf(from, 'operation'), {
    help: near !== undefined && isWord ? `Did you mean the operation "${near}"?` : undefined,
  });
};
