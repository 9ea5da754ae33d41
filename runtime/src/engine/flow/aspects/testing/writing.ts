import { Failure } from '../../../../foundation/errors/failure.ts';
import type { Answer, TestService } from '../../../plan/testing/service.ts';

/** A flow that writes to `db`; aspects write to `peer`. */
export const flow = (name: string, more = '', from = 'connector = "api"\n operation = "POST /x"') =>
  `flow "${name}" {\n from {\n ${from.replace('/x', `/${name}`)}\n }\n ${more}\n to {\n connector = "db"\n target = "t"\n }\n}\n`;
/** One aspect; `body` is its content beside `on` and `when`. */
export const aspect = (name: string, when: string, body: string, on = '["*"]') =>
  `aspect "${name}" {\n on = ${on}\n when = "${when}"\n ${body}\n}\n`;
/** An action that sends these fields to `peer`. */
export const note = (fields: string, more = '') =>
  `${more}\n action {\n connector = "peer"\n target = "notes"\n transform {\n ${fields}\n }\n }`;

/** What was sent to `peer`. */
export const notes = ({ calls }: TestService) =>
  calls.filter(({ connector }) => connector === 'peer').map(({ payload }) => ({ ...payload }));
/** What flows wrote. */
export const written = ({ calls }: TestService) => calls.filter(({ connector }) => connector === 'db');
/** Answers of a service whose one connector is unavailable. */
export const failing =
  (connector: string, code: ConstructorParameters<typeof Failure>[0] = 'connector_failed'): Answer =>
  (call) => {
    if (call.connector === connector) throw new Failure(code, `${connector} is unavailable`);
    return { affected: 1 };
  };
/** The result of a run; for a failure its code and message. */
export const outcomeOf = async (run: () => unknown) => {
  try {
    return await run();
  } catch (error) {
    const { code, message } = error as Failure;
    return [code, message];
  }
};
/** Warnings with their fields. */
export const warnings = ({ log }: TestService): readonly Record<string, unknown>[] =>
  log.filter(({ level }) => level === 'warn').map(({ message, fields }) => ({ message, ...fields }));
