import { closest } from '../../text/index.ts';
import type { CallExpression, Expression } from '../ast.ts';
import { dottedName } from '../compile/names.ts';
import { macros } from '../macros.ts';
import { accepts, type Signature } from '../signature.ts';
import { type CelType, dyn } from '../types.ts';
import type { Checker, Locals } from './checker.ts';
import { type Bindings, fits, join, substitute, typeName } from './relations.ts';

/** The type of a call, with a problem when no function of the name takes such arguments. */
export function checkCall(checker: Checker, node: CallExpression, locals: Locals): CelType {
  const { functions } = checker.options;
  const namespace = node.target && namespaceOf(checker, node.target, locals);
  const qualified = namespace === undefined ? node.name : `${namespace}.${node.name}`;
  if (!node.target || (namespace !== undefined && functions.knows(qualified))) {
    const args = node.args.map((argument) => checker.check(argument, locals));
    return resolve(checker, node, qualified, 'call', args);
  }
  const receiver = checker.check(node.target, locals);
  const args = node.args.map((argument) => checker.check(argument, locals));
  return resolve(checker, node, node.name, 'method', [receiver, ...args]);
}

function resolve(
  checker: Checker,
  node: CallExpression,
  name: string,
  form: 'call' | 'method',
  args: readonly CelType[],
): CelType {
  const { functions } = checker.options;
  const count = node.args.length;
  if (form === 'call' && functions.host(name)) return hostResult(checker, node, name);
  const signatures = functions.signatures(name, form);
  if (signatures.length === 0) return unknown(checker, node, name, form);
  const counted = signatures.filter((signature) => accepts(signature, count));
  if (counted.length === 0)
    return checker.problem(
      `${name}() does not take ${count} ${count === 1 ? 'argument' : 'arguments'}: ${labels(signatures)}`,
      node.nameRange,
    );
  const results = counted.map((signature) => resultOf(signature, args)).filter((type) => type !== undefined);
  if (results.length === 0)
    return checker.problem(`${name}() is not defined for ${args.map(typeName).join(', ')}: ${labels(counted)}`, node);
  const mistake = functions.inspect(name, constantsOf(node, form));
  if (mistake !== undefined) checker.problem(mistake, node);
  return results.reduce(join);
}

function hostResult(checker: Checker, node: CallExpression, name: string): CelType {
  const { arity = [], later } = checker.options.functions.host(name) ?? {};
  if (later && !checker.options.waits)
    return checker.problem(
      `${name}() is a function of a module, and this place does not wait for its value`,
      node.nameRange,
      undefined,
      true,
    );
  if (arity.includes(node.args.length)) return dyn;
  return checker.problem(`${name}() takes ${arity.join(' or ')} arguments, not ${node.args.length}`, node.nameRange);
}

function unknown(checker: Checker, node: CallExpression, name: string, form: 'call' | 'method'): CelType {
  const { functions } = checker.options;
  const other = form === 'call' ? 'method' : 'call';
  if (functions.signatures(name, other).length > 0)
    return checker.problem(
      form === 'method' ? `${name} is a function: write ${name}(value)` : `${name} is a method: write value.${name}()`,
      node.nameRange,
      name,
    );
  if (macros.some((macro) => macro.name === name || macro.name.endsWith(`.${name}`)))
    return checker.problem(`${name}() is written with other arguments: ${labelsOfMacro(name)}`, node.nameRange);
  const names = [...functions.names(form), ...macros.map((macro) => macro.name)];
  const what = form === 'call' ? 'function' : 'method';
  return checker.problem(`there is no ${what} ${JSON.stringify(name)}`, node.nameRange, closest(name, names));
}

function resultOf(signature: Signature, args: readonly CelType[]): CelType | undefined {
  const bindings: Bindings = new Map();
  const wanted = signature.receiver
    ? [signature.receiver, ...signature.parameters.map(({ type }) => type)]
    : signature.parameters.map(({ type }) => type);
  const fit = args.every((given, at) => {
    const type = wanted[at] ?? wanted.at(-1);
    return type !== undefined && fits(given, type, bindings);
  });
  return fit ? substitute(signature.result, bindings) : undefined;
}

function namespaceOf(checker: Checker, target: Expression, locals: Locals): string | undefined {
  const name = dottedName(target);
  return name !== undefined && !checker.isVariable(name.split('.', 1)[0] as string, locals) ? name : undefined;
}

function constantsOf(node: CallExpression, form: 'call' | 'method'): readonly unknown[] {
  const values = node.args.map((argument) => (argument.kind === 'literal' ? argument.value : undefined));
  return form === 'method' ? [undefined, ...values] : values;
}

function labels(signatures: readonly Signature[]): string {
  return signatures.map(({ label }) => label).join(' or ');
}

function labelsOfMacro(name: string): string {
  return macros
    .filter((macro) => macro.name === name || macro.name.endsWith(`.${name}`))
    .flatMap(({ signatures }) => signatures)
    .join(' or ');
}
