import { idParameter, parameterOfHeader } from './stream-parameters.ts';

/** One value of a header. */
export type HeaderLine = readonly [name: string, value: string];

/** Headers of a message as lines, or why they cannot be sent. */
export type HeaderLines =
  | { readonly lines: readonly HeaderLine[]; readonly problem?: undefined }
  | { readonly problem: string };

/**
 * The lines of the headers that a flow writes: texts, and lists of texts for a header that is sent several times. What is
 * null is left out. A message that is stored has parameters for some headers, which are refused then; the id of the message
 * that the headers came with is left out, since the stream would take this one for it, unless the configuration itself
 * writes one.
 */
export function headerLines(headers: unknown, isStored: boolean, isConstant = false): HeaderLines {
  if (headers === undefined || headers === null) return { lines: [] };
  if (typeof headers !== 'object' || Array.isArray(headers)) return { problem: 'must be an object' };
  const lines: HeaderLine[] = [];
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined || value === null) continue;
    const parameter = isStored ? parameterOfHeader(name) : undefined;
    if (parameter === idParameter && !isConstant) continue;
    if (parameter !== undefined) return { problem: `the header "${name}" has a parameter: write \`${parameter}\`` };
    for (const each of Array.isArray(value) ? value : [value]) {
      const isText = ['string', 'number', 'bigint', 'boolean'].includes(typeof each);
      const problem = isText ? checkHeader(name, String(each)) : `"${name}" must be a text or a list of texts`;
      if (problem !== undefined) return { problem };
      lines.push([name, String(each)]);
    }
  }
  return { lines };
}

/** Why a name or a value of a header cannot be sent, or undefined. */
export function checkHeader(name: string, value: string): string | undefined {
  if (!/^[!-9;-~]+$/.test(name)) return `"${name}" is not the name of a header`;
  return /[\r\n\0]/.test(value) ? `the header "${name}" has more than one line` : undefined;
}
