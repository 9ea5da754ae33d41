import { type CallExpression, type FunctionDocumentation, placeAt, type Signature } from '../../cel/index.ts';
import { placeIn } from '../place.ts';
import type { FileState } from '../states.ts';
import { sourceOffset } from './embedded.ts';
import { signaturesOf } from './functions.ts';

/** The ways to call the function whose brackets an offset is in. */
export interface SignatureHelp {
  readonly signatures: readonly {
    readonly label: string;
    readonly doc: string;
    readonly parameters: readonly string[];
  }[];
  /** The signature that takes as many arguments as are written so far. */
  readonly active: number;
  /** Which argument the offset is in, from 0. */
  readonly argument: number;
}

export function signatureHelp(
  file: FileState,
  offset: number,
  added?: readonly FunctionDocumentation[],
): SignatureHelp | undefined {
  const place = placeIn(file, offset);
  if (place.kind !== 'expression') return undefined;
  const { embedded } = place;
  const at = sourceOffset(embedded, offset);
  const root = [embedded.expression, ...embedded.rest].findLast((one) => one.start <= at) ?? embedded.expression;
  const isInside = (node: { readonly kind: string }): node is CallExpression => {
    if (node.kind !== 'call') return false;
    const call = node as CallExpression;
    const closed = embedded.source.charAt(call.end - 1) === ')';
    return at > call.nameRange.end && (!closed || at < call.end);
  };
  const call = placeAt(root, at).nodes.findLast(isInside) as CallExpression | undefined;
  if (call === undefined) return undefined;
  const namespace = call.target?.kind === 'identifier' ? `${call.target.name}.${call.name}` : undefined;
  const spaced = namespace === undefined ? [] : signaturesOf(namespace, false);
  const [form] = spaced.length > 0 ? spaced : signaturesOf(call.name, call.target !== undefined, added);
  if (form === undefined) return undefined;
  const argument = argumentAt(embedded.source.slice(call.nameRange.end, at));
  const fitting = form.signatures.findIndex(
    ({ parameters }) => parameters.length > argument || parameters.at(-1)?.repeated,
  );
  return {
    signatures: form.signatures.map((signature) => ({
      label: signature.label,
      doc: form.documentation.doc,
      parameters: parametersOf(signature),
    })),
    active: Math.max(0, fitting),
    argument,
  };
}

/** The parameters as they are written in the label. */
function parametersOf({ label, name, parameters }: Signature): readonly string[] {
  const open = label.indexOf(`${name.split('.').at(-1)}(`);
  const inside = label.slice(open, label.lastIndexOf(') -> '));
  return parameters.map(
    ({ name: own }) =>
      new RegExp(`(?:\\.\\.\\.)?\\b${own}\\b\\??(?:: [^,]*(?:\\([^)]*\\))?)?`).exec(inside)?.[0] ?? own,
  );
}

/** How many commas of the call itself precede the cursor. */
function argumentAt(before: string): number {
  let depth = 0;
  let commas = 0;
  let quote = '';
  for (const letter of before) {
    if (quote !== '') quote = letter === quote ? '' : quote;
    else if (letter === '"' || letter === "'") quote = letter;
    else if ('([{'.includes(letter)) depth++;
    else if (')]}'.includes(letter)) depth--;
    else if (letter === ',' && depth === 1) commas++;
  }
  return commas;
}
