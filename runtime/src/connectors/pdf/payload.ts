import type { CallRequest } from '../../foundation/contracts/target.ts';
import { Failure } from '../../foundation/errors/failure.ts';

/** What a message asks for. */
export interface Asked {
  /** The template that it names, below the folder of the connector's. */
  readonly template: string | undefined;
  readonly filename: string;
  /** What the template prints. */
  readonly data: Readonly<Record<string, unknown>>;
}

const usualName = 'document.pdf';

/** The fields of a call, wherever it has them. Throws `value_refused`. */
export function askedIn({ filters, payload, params, target }: CallRequest, constant: string | undefined): Asked {
  const named = Array.isArray(params) ? undefined : params;
  const fields: Record<string, unknown> = Object.assign(Object.create(null), filters, payload, named);
  const { template, filename, ...data } = fields;
  return {
    template: textOf(template, 'template') ?? constant ?? target,
    filename: textOf(filename, 'filename') ?? usualName,
    data,
  };
}

function textOf(value: unknown, field: string): string | undefined {
  if (value === undefined || value === null || value === '') return undefined;
  if (typeof value === 'string') return value;
  const message = `"${field}" must be a text`;
  throw new Failure('value_refused', message, { fields: [{ field, code: 'type_mismatch', message }] });
}
