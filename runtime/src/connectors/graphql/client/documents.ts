import type { CallProblem, OperationParameters, WrittenCall } from '@svc/protocol/schema';
import type { DocumentProblem } from '../document/cursor.ts';
import { type AskedDocument, describeProblem, isProblem, readDocument } from '../document/parse.ts';
import { parseField, rootTypes } from '../operation.ts';

/** The document that an operation means: one that is written out, or a field of a root type (`Subscription.tick`). */
export function documentOf(operation: string): string {
  const field = parseField(operation);
  const type = rootTypes.find((each) => each === field?.type);
  return field === undefined || type === undefined ? operation : `${type.toLowerCase()} { ${field.field} }`;
}

/** What an operation asks, or what is wrong with it. */
export function readOperation(operation: string): AskedDocument | DocumentProblem {
  return readDocument(documentOf(operation));
}

function problemOf(operation: string, refuse: (asked: AskedDocument) => string | undefined): string | undefined {
  const read = readOperation(operation);
  if (!isProblem(read)) return refuse(read);
  // A word that looks like an operation of another connector.
  return /^\s*[\w.]*\s*$/.test(operation)
    ? `"${operation}" is neither a document, such as query { version }, nor an operation of the connector`
    : describeProblem(read);
}

/** Why a document cannot be sent, or undefined. Pure. */
export function checkTargetDocument(operation: string): string | undefined {
  return problemOf(operation, ({ type }) =>
    type === 'subscription' ? 'a subscription is not asked: name it in `operation` of `from`' : undefined,
  );
}

/** Why a document brings no events, or undefined. Pure. */
export function checkSubscription(operation: string): string | undefined {
  return problemOf(operation, ({ type, variables }) => {
    if (type !== 'subscription') return `a ${type} brings no events: write a subscription`;
    const needed = variables.find(({ isRequired }) => isRequired);
    return needed && `nothing gives $${needed.name} a value: write it into the document, or a default`;
  });
}

/** Whether an operation reads or writes; undefined for what is not a document. */
export function effectOf(operation: string): 'reads' | 'writes' | undefined {
  const read = readOperation(operation);
  return isProblem(read) ? undefined : read.type === 'query' ? 'reads' : 'writes';
}

/** The variables of a document. Those that it needs may come from the message too: `checkCall` knows where they do not. */
export function parametersOf(operation: string | undefined): OperationParameters | undefined {
  const read = operation === undefined ? undefined : readOperation(operation);
  if (read === undefined || isProblem(read)) return undefined;
  const docs = Object.fromEntries(read.variables.map(({ name, type }) => [name, `Variable of type ${type}.`]));
  return { needs: [], takes: read.variables.map(({ name }) => name), docs };
}

/** Why a call cannot be carried out whatever the message: its document, or a variable without a value. Pure. */
export function checkCall(call: WrittenCall): string | CallProblem | undefined {
  const { operation, target, place, params, written, named } = call;
  const word = operation !== undefined || place === 'enrich' ? 'operation' : 'target';
  const document = operation ?? target;
  if (document === undefined) return 'the document is written in the configuration, and does not come with the message';
  if (operation !== undefined && target !== undefined)
    return { word: 'target', problem: 'the document is in operation; a target has no meaning beside it' };
  const read = readOperation(document);
  if (isProblem(read)) return { word, problem: describeProblem(read) };
  const given = params ?? [];
  const unknown = word === 'target' && given.find((name) => !read.variables.some((each) => each.name === name));
  if (typeof unknown === 'string') return { word: 'params', problem: `the document has no variable $${unknown}` };
  if ((place !== 'step' && place !== 'enrich') || written['body'] !== undefined) return undefined;
  if (params === undefined && written['params'] !== undefined) return undefined;
  const declared = (named?.['param'] ?? []) as readonly { readonly label: string; readonly default?: unknown }[];
  const missing = read.variables.find(
    ({ name, isRequired }) =>
      isRequired && !given.includes(name) && !declared.some((each) => each.label === name && each.default != null),
  );
  return missing && { word, problem: `nothing gives the variable $${missing.name} a value: write it in params` };
}
