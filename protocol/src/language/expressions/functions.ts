import { type FunctionDocumentation, functionDocumentation, readSignature, type Signature } from '../../cel/index.ts';

/** A function of the expression language in one of its forms. */
export interface CallForm {
  readonly documentation: FunctionDocumentation;
  readonly signatures: readonly Signature[];
}

/** The forms of all functions that are called as `name(…)`, namespaces included; `added` are those of the project. */
export function plainFunctions(added: readonly FunctionDocumentation[] = []): readonly CallForm[] {
  return added.length === 0 ? formsOf(false) : [...formsOf(false), ...formsIn(added, false)];
}

/** The forms of all functions that are called as `value.name(…)`. */
export function methods(): readonly CallForm[] {
  return formsOf(true);
}

/** Every way to call what is called by this name. A method is found by its name alone. */
export function signaturesOf(
  name: string,
  isMethod: boolean,
  added?: readonly FunctionDocumentation[],
): readonly CallForm[] {
  return (isMethod ? methods() : plainFunctions(added)).filter(({ documentation }) => documentation.name === name);
}

/** The forms that were read before, by whether they are methods. */
const known = new Map<boolean, readonly CallForm[]>();

function formsOf(methods: boolean): readonly CallForm[] {
  let forms = known.get(methods);
  if (forms === undefined) {
    forms = formsIn(functionDocumentation, methods);
    known.set(methods, forms);
  }
  return forms;
}

function formsIn(all: readonly FunctionDocumentation[], methods: boolean): readonly CallForm[] {
  return all.flatMap((documentation) => {
    const signatures = documentation.signatures
      .map(readSignature)
      .filter(({ receiver }) => (receiver !== undefined) === methods);
    return signatures.length === 0 ? [] : [{ documentation, signatures }];
  });
}

/** A function as people read about it, in Markdown. */
export function describeFunction({ doc, example }: FunctionDocumentation, signatures: readonly Signature[]): string {
  const code = signatures.map(({ label }) => label).join('\n');
  return `\`\`\`\n${code}\n\`\`\`\n\n${doc}\n\nExample: \`${example}\``;
}
