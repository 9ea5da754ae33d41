import { maskedInput } from '../../../foundation/observe/masked-input.ts';
import { Expression } from './expression.ts';

/**
 * The same expression where its value becomes a payload, such as that of an audit: a message that is copied as a whole
 * is copied without the values of headers and fields that are named like credentials. An expression that names such a
 * field reads it.
 */
export function asPayload(expression: Expression): Expression {
  const { program, title } = expression;
  const isRead = program.references.some(({ path }) => path.length === 1 && path[0] === 'input');
  return isRead ? new PayloadExpression(program, title) : expression;
}

class PayloadExpression extends Expression {
  override evaluate(scope: object): unknown {
    return this.#masked(super.evaluate(scope), scope);
  }

  protected override async later(scope: object): Promise<unknown> {
    return this.#masked(await super.later(scope), scope);
  }

  #masked(value: unknown, scope: object): unknown {
    const isWhole = this.program.source.trim() === 'input';
    const { input, message } = scope as { readonly input: unknown; readonly message?: object };
    return isWhole ? maskedInput(value as Record<string, unknown>, message) : replaced(value, input, message);
  }
}

/** The message inside what an expression builds around it. */
function replaced(value: unknown, input: unknown, message: object | undefined): unknown {
  if (value === input) return maskedInput(value as Record<string, unknown>, message);
  if (Array.isArray(value)) return value.map((item) => replaced(item, input, message));
  if (value instanceof Map) return new Map([...value].map(([key, item]) => [key, replaced(item, input, message)]));
  if (typeof value !== 'object' || value === null || !isBuilt(value)) return value;
  const copy = Object.create(Object.getPrototypeOf(value)) as Record<string, unknown>;
  for (const [name, item] of Object.entries(value)) copy[name] = replaced(item, input, message);
  return copy;
}

function isBuilt(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype || Object.getPrototypeOf(prototype) === null;
}
