const nameForm = /^[\p{L}_][\p{L}\p{M}\p{N}._-]*$/u;

/** Why a text is not the name of an operation that may be served, or undefined. Pure. */
export function checkOperation(operation: string): string | undefined {
  const problem = checkName(operation);
  if (problem !== undefined) return problem;
  return /.Response$/.test(operation.trim())
    ? 'must not end in Response: such an element is an answer, and its operation has the name without it'
    : undefined;
}

/** Why a text is not the name of an element, or undefined. Pure. */
export function checkName(operation: string): string | undefined {
  const name = operation.trim();
  return nameForm.test(name)
    ? undefined
    : 'must be the name of an operation, such as "GetOrder": letters, digits, `.`, `-` and `_`';
}

/** The name of an operation by its element: that of an answer has a suffix. */
export function operationOf(element: string): string {
  return element.replace(/(.)Response$/, '$1');
}
