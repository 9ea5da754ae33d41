import { parseDuration } from '@svc/protocol/model';
import { closest } from '@svc/protocol/text';
import { Failure } from '../../foundation/errors/failure.ts';
import { decodeJson } from '../../platform/formats/json.ts';

/** One answer of a recording. */
export interface Response {
  /** CEL over `input`; undefined: any call. */
  readonly when: string | undefined;
  /** It answers what no other one does. */
  readonly isDefault: boolean;
  readonly data: unknown;
  readonly affected: number | undefined;
  /** The call fails with these words. */
  readonly error: string | undefined;
  /** HTTP status of the failure. */
  readonly status: number | undefined;
  /** Milliseconds. */
  readonly delay: number;
}

export interface ResponseProblem {
  readonly message: string;
  /** Offset in the text. */
  readonly at: number;
}

const words = ['data', 'affected', 'error', 'status', 'delay'];

/** Reads the text of a recording: `{data, affected}`, or `{responses: [{when, default, …}]}`. */
export function readResponses(text: string): {
  readonly responses: readonly Response[];
  readonly problems: readonly ResponseProblem[];
} {
  const problems: ResponseProblem[] = [];
  const report = (message: string, word?: string) =>
    void problems.push({ message, at: word === undefined ? 0 : Math.max(0, text.indexOf(JSON.stringify(word))) });
  let value: unknown;
  try {
    value = decodeJson(text);
  } catch (error) {
    const said = error instanceof Failure ? error.message.replace(/^the body/, 'the recording') : String(error);
    return { responses: [], problems: [{ message: said, at: Number(/position (\d+)/.exec(said)?.[1] ?? 0) }] };
  }
  if (!isObject(value)) {
    report('a recording is an object: {"data": …} or {"responses": [ … ]}');
    return { responses: [], problems };
  }
  if (!Object.hasOwn(value, 'responses')) return { responses: [readOne(value, words, report)], problems };
  for (const word of Object.keys(value))
    if (word !== 'responses') report(`${word} is written beside responses: write it into one`, word);
  const { responses } = value;
  if (!Array.isArray(responses)) {
    report('responses is a list', 'responses');
    return { responses: [], problems };
  }
  const read = responses.map((response, at) => {
    if (isObject(response)) return readOne(response, ['when', 'default', ...words], report);
    report(`response ${at + 1} is not an object`, 'responses');
    return readOne({}, words, report);
  });
  return { responses: read, problems };
}

function readOne(
  written: Readonly<Record<string, unknown>>,
  known: readonly string[],
  report: (message: string, word?: string) => void,
): Response {
  for (const word of Object.keys(written)) {
    if (known.includes(word)) continue;
    const near = closest(word, known);
    report(`a response has no "${word}"${near ? `; did you mean "${near}"?` : `: it takes ${known.join(', ')}`}`, word);
  }
  const typed = <T>(word: string, is: (value: unknown) => value is T, what: string): T | undefined => {
    const value = written[word];
    if (value === undefined || value === null || is(value)) return value ?? undefined;
    report(`${word} is ${what}`, word);
    return undefined;
  };
  const delay = typed('delay', isMeasure, 'a duration such as "50ms"');
  const waits = delay === undefined ? 0 : parseDuration(delay);
  if (waits === undefined) report('delay is a duration such as "50ms"', 'delay');
  return {
    when: typed('when', isText, 'an expression in quotes'),
    isDefault: typed('default', isFlag, 'true or false') === true,
    data: written['data'],
    affected: typed('affected', isCount, 'a whole number from 0'),
    error: typed('error', isText, 'a text'),
    status: typed('status', isStatus, 'a status from 100 to 599'),
    delay: waits ?? 0,
  };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
const isFlag = (value: unknown): value is boolean => typeof value === 'boolean';
const isCount = (value: unknown): value is number => Number.isInteger(value) && Number(value) >= 0;
const isStatus = (value: unknown): value is number =>
  Number.isInteger(value) && Number(value) >= 100 && Number(value) <= 599;
const isMeasure = (value: unknown): value is string | number => typeof value === 'string' || typeof value === 'number';
