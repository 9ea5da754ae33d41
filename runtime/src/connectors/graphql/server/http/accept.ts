/** Media types of answers, as GraphQL over HTTP names them. */
export type AnswerType = 'application/json' | 'application/graphql-response+json';

/** The type whose status says whether the request was carried out. */
export const responseType = 'application/graphql-response+json';

const json = 'application/json';

/** How good an answer of this type is for ranges of media types. */
const ranges: Readonly<Record<string, AnswerType>> = {
  [responseType]: responseType,
  [json]: json,
  'application/*': json,
  '*/*': json,
};

/**
 * The type that a caller prefers (RFC 9110, 12.5.1); JSON for callers that say nothing, or name nothing that can be
 * answered. Of two that it likes equally, the first one that it names.
 */
export function answerTypeOf(accept: string | undefined): AnswerType {
  if (accept === undefined || accept === '*/*' || accept === json) return json;
  let best: AnswerType = json;
  let bestQuality = 0;
  for (const part of accept.split(',')) {
    const [range = '', ...parameters] = part.split(';');
    const name = range.trim().toLowerCase();
    const type = Object.hasOwn(ranges, name) ? ranges[name] : undefined;
    if (type === undefined) continue;
    const quality = qualityOf(parameters);
    if (quality <= bestQuality) continue;
    best = type;
    bestQuality = quality;
  }
  return best;
}

function qualityOf(parameters: readonly string[]): number {
  for (const parameter of parameters) {
    const [name = '', value = ''] = parameter.split('=');
    if (name.trim().toLowerCase() === 'q') return Number(value.trim()) || 0;
  }
  return 1;
}
