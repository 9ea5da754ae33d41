import { Failure } from '../../foundation/errors/failure.ts';

/** How much a document may decode to. A codec refuses more before or while it makes it, whatever the size in bytes. */
export interface DecodingBudget {
  /** Levels of lists and maps in each other. */
  readonly depth: number;
  /** Keys of all maps together; cells of a table. */
  readonly keys: number;
  /** Values of all kinds: texts, numbers, lists and maps. */
  readonly values: number;
  /** Digits of one number: turning them into a number takes more than linear time. */
  readonly digits: number;
}

/** For what callers and queues send. The sanitizer has lower bounds of its own, which apply afterwards. */
export const messageBudget: DecodingBudget = { depth: 100, keys: 100_000, values: 100_000, digits: 1_000 };

/** For answers of services that the configuration names, which may be lists of many rows. */
export const answerBudget: DecodingBudget = { depth: 100, keys: 1_000_000, values: 2_000_000, digits: 1_000 };

/** How a body is read. */
export interface BodyForm {
  /** Character set that the sender names; default UTF-8. */
  readonly charset?: string | undefined;
  /** Default: that of messages. */
  readonly budget?: DecodingBudget | undefined;
  /** JSON that this program wrote from doubles: a whole number beyond 2^53 is a double again, and no bigint. */
  readonly doubles?: boolean | undefined;
}

/** The failure of a document that decodes to more than its budget. */
export function beyondBudget(budget: DecodingBudget, what: keyof DecodingBudget): Failure {
  // Depth is form, not amount: the sanitizer, whose bound is lower, answers 400 for it too.
  return new Failure(what === 'depth' ? 'body_undecodable' : 'body_too_large', `the body ${words[what](budget[what])}`);
}

const words: Readonly<Record<keyof DecodingBudget, (limit: number) => string>> = {
  depth: (limit) => `is nested deeper than ${limit} levels`,
  keys: (limit) => `has more than ${limit} keys`,
  values: (limit) => `holds more than ${limit} values`,
  digits: (limit) => `holds a number of more than ${limit} digits`,
};
