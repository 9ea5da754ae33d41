import { parseDuration } from '@svc/protocol/model';
import { Failure } from '../../../../foundation/errors/failure.ts';
import { checkSubject } from '../subjects.ts';

/** What a parameter says to the stream that stores a message. */
interface StreamParameter {
  readonly header: string;
  /** The oldest server that knows the header: an older one would store the message as if it were not there. */
  readonly since?: readonly [major: number, minor: number];
  /** Why a value is not what the parameter takes, or undefined. */
  readonly problem?: (value: unknown) => string | undefined;
  readonly written?: (value: unknown) => string;
}

const isSequence = (value: unknown) => (/^\d+$/.test(String(value)) ? undefined : 'must be the sequence of a message');
const isName = (value: unknown) => (value === '' ? 'must be the name of a stream' : undefined);
const isSubject = (value: unknown) => (typeof value === 'string' ? checkSubject(value) : 'must be a subject');
const isLifetime = (value: unknown) =>
  secondsIn(value) === undefined ? 'must be a duration of whole seconds, such as 30 or "5m", or "never"' : undefined;
const lifetime = (value: unknown) => secondsIn(value) ?? '';

/** By which a stream recognises a message that is published again. */
export const idHeader = 'Nats-Msg-Id';

/** By which a stream checks a message, keeps it for a time, or publishes it later and again. */
const parameters: Readonly<Record<string, StreamParameter>> = {
  expected_stream: { header: 'Nats-Expected-Stream', problem: isName },
  expected_sequence: { header: 'Nats-Expected-Last-Sequence', problem: isSequence },
  expected_subject_sequence: { header: 'Nats-Expected-Last-Subject-Sequence', problem: isSequence },
  ttl: { header: 'Nats-TTL', since: [2, 11], problem: isLifetime, written: lifetime },
  schedule: {
    header: 'Nats-Schedule',
    since: [2, 12],
    problem: (value) =>
      typeof value === 'string' && /^(@\w|\S+( \S+){5}$)/.test(value)
        ? undefined
        : 'must be "@at" with a time (RFC 3339), "@every" with a duration, such as "@daily", or six fields of cron',
  },
  schedule_target: { header: 'Nats-Schedule-Target', since: [2, 12], problem: isSubject },
  schedule_ttl: { header: 'Nats-Schedule-TTL', since: [2, 12], problem: isLifetime, written: lifetime },
  schedule_source: { header: 'Nats-Schedule-Source', since: [2, 14], problem: isSubject },
  schedule_time_zone: { header: 'Nats-Schedule-Time-Zone', since: [2, 14] },
};

/** Their names. */
export const streamParameters: readonly string[] = Object.keys(parameters);

/** The parameter that sets the header by which a stream recognises a message. */
export const idParameter = 'message_id';

/** The parameter that sets a header, whose name is compared without regard to case; undefined of other headers. */
export function parameterOfHeader(header: string): string | undefined {
  const name = header.toLowerCase();
  if (name === idHeader.toLowerCase()) return idParameter;
  return streamParameters.find((each) => parameters[each]?.header.toLowerCase() === name);
}

/** Why the value of a parameter is malformed, or undefined. Pure. */
export function parameterProblem(name: string, value: unknown): string | undefined {
  if (name === 'message_id' && value === '') return 'must not be empty';
  return value === null ? undefined : parameters[name]?.problem?.(value);
}

/** The headers that the parameters of a message mean. Throws for one that is malformed, or that the server does not know. */
export function streamHeaders(
  given: Readonly<Record<string, unknown>>,
  version: string,
): readonly (readonly [string, string])[] {
  const written = Object.entries(parameters).filter(([name]) => isGiven(given[name]));
  for (const [name] of written) {
    const value = given[name];
    const problem = typeof value === 'object' ? 'must be a text' : parameterProblem(name, value);
    if (problem !== undefined) throw refused(name, problem);
    if (name.startsWith('schedule_') && !isGiven(given['schedule'])) throw refused(name, 'needs `schedule`');
  }
  if (isGiven(given['schedule']) && !isGiven(given['schedule_target']))
    throw refused('schedule', 'needs `schedule_target`, the subject that the message is published to then');
  return written.map(([name, { header, since, written: write = String }]) => {
    if (since !== undefined && isOlder(version, since))
      throw unknown(name, `needs NATS ${since.join('.')} or later, and the server is ${version}`);
    return [header, write(given[name])] as const;
  });
}

/** What a stream must allow for a message that it refused with this error (`err_code`); undefined: nothing. */
export function allowanceFor(code: number): string | undefined {
  if (code === 10166) return 'write allow_msg_ttl = true in the configuration of the stream';
  return code === 10188 ? 'write allow_msg_schedules = true in the configuration of the stream' : undefined;
}

/** What of a message a stream refuses with these errors (`err_code`), whatever is tried. */
const refusals: Readonly<Record<number, string>> = {
  10097: 'headers',
  10165: 'ttl',
  10169: 'headers',
  10171: 'headers',
  10189: 'schedule',
  10190: 'schedule_target',
  10191: 'schedule_ttl',
  10192: 'headers',
  10203: 'schedule_source',
  10212: 'headers',
  10223: 'schedule_time_zone',
};

/** The parameter that a stream refused a message for; undefined where it is another reason. */
export function refusedParameter(code: number): string | undefined {
  return refusals[code];
}

/** Whole seconds as a stream reads them; it leaves out what is finer. */
function secondsIn(value: unknown): string | undefined {
  if (value === 'never') return value;
  const given = typeof value === 'bigint' ? Number(value) : value;
  const milliseconds = typeof given === 'number' || typeof given === 'string' ? parseDuration(given) : undefined;
  return milliseconds === undefined || milliseconds === 0 || milliseconds % 1_000 !== 0
    ? undefined
    : `${milliseconds / 1_000}s`;
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function isOlder(version: string, [major, minor]: readonly [number, number]): boolean {
  const [found = 0, next = 0] = version.split('.').map(Number);
  return found < major || (found === major && next < minor);
}

function refused(name: string, message: string): Failure {
  const fields = [{ field: name, code: 'type_mismatch', message }];
  return new Failure('parameters_invalid', `the parameter "${name}": ${message}`, { fields });
}

function unknown(name: string, message: string): Failure {
  return new Failure('connector_failed', `the parameter "${name}" ${message}`, { retriable: false });
}
