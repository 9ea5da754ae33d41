import type { Values } from '@svc/protocol/schema';
import type { carried } from '../../../connectors/core/words-spec.ts';
import type { Frame } from '../message/frame.ts';
import type { FlowTools } from '../tools.ts';
import { type Expression, kindOf, unusable } from './expression.ts';

type HeaderBlock = Values<typeof carried.headers>;

/** Compiles the headers of a request; undefined without headers. A header that gives null is not sent. */
export function compileHeaders(
  block: HeaderBlock | undefined,
  title: string,
  tools: FlowTools,
): ((frame: Frame) => Readonly<Record<string, string>>) | undefined {
  if (!block || block.fields.length === 0) return undefined;
  const headers = block.fields.map(
    ({ name, value }) => [name, tools.expression(value, `${title}: headers.${name}`)] as const,
  );
  return (frame) => {
    const sent: Record<string, string> = Object.create(null);
    for (const [name, expression] of headers) {
      const value = expression.evaluate(frame);
      if (value !== null) sent[name] = headerText(value, expression, frame);
    }
    return sent;
  };
}

/** The text of a header's value. Throws for a value without a text form. */
export function headerText(value: unknown, expression: Expression, scope: object): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean') return String(value);
  throw unusable(`${expression.title} must give a text, not ${kindOf(value)}`, expression, scope);
}
