import { Failure } from '../../../foundation/errors/failure.ts';
import type { Bound } from '../statement/bound.ts';
import { refused } from '../statement/rows.ts';

/**
 * What a character set of the connection cannot hold; the client library would send the low byte of each. The server
 * reads 0x80 to 0x9F of its latin1 as other characters than they are in Unicode.
 */
const unheld: Readonly<Record<string, RegExp>> = {
  latin1: /[^\u0000-\u007f\u00a0-\u00ff]/u,
  ascii: /[^\u0000-\u007f]/u,
};

/** Throws when a text of the statement cannot be sent as it is, naming the field when the statement was generated. */
export function checkCharacters({ text, values, columns }: Bound, charset: string): void {
  const pattern = unheld[charset];
  if (pattern === undefined) return;
  const problem = `a character that \`charset = "${charset}"\` of the connector cannot hold`;
  if (pattern.test(text)) throw new Failure('connector_failed', `the statement has ${problem}`, { retriable: false });
  values.forEach((value, index) => {
    if (typeof value !== 'string' || !pattern.test(value)) return;
    const field = columns?.[index]?.name;
    if (field === undefined)
      throw new Failure('connector_failed', `a value of the statement has ${problem}`, { retriable: false });
    throw refused([{ field, code: 'type_mismatch', message: `"${field}" has ${problem}` }]);
  });
}
