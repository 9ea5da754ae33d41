import type { Experiment } from './experiment.ts';
import type { Shown } from './flows.ts';
import { type Running, serves } from './running.ts';

/** The blocks that keep what executions share, with what they need beside `storage`. */
const blocks = {
  lock: 'key = "a"',
  semaphore: 'key = "a"\n max_permits = 1',
  coordinate: 'signal {\n when = "true"\n emit = "\'a\'"\n }',
  sequence_guard: 'key = "a"\n sequence = "1"',
};

const server = 'driver = "redis"\n host = "127.0.0.1"\n port = env("ONE")';

/** Values of each word of `storage`, with what has to be beside it. */
export const written: Readonly<Record<string, readonly [string, Experiment['values']]>> = {
  driver: ['driver = §', ['"redis"\n port = env("ONE")\n host = "127.0.0.1"', '"memory"']],
  url: ['driver = "redis"\n url = §', ['"redis://127.0.0.1:${env("ONE")}"', '"redis://127.0.0.1:${env("TWO")}"']],
  host: ['driver = "redis"\n port = env("ONE")\n host = §', ['"127.0.0.1"', '"127.0.0.2"']],
  port: ['driver = "redis"\n host = "127.0.0.1"\n port = §', ['env("ONE")', 'env("TWO")']],
  password: [`${server}\n password = §`, ['"one"', '"two"']],
  db: [`${server}\n db = §`, ['1', '2']],
};

/** Which server was connected to, and what it was sent first. */
export const connections = async ({ received }: Running): Promise<unknown> =>
  received.map((commands) => commands.filter((one) => / (auth|select) /i.test(one)));

/** `storage` of each block: which server is connected to, and what it is sent first. */
export const sharedState: Shown = Object.fromEntries(
  Object.entries(blocks).flatMap(([word, lines]) =>
    Object.entries(written).map(([name, [storage, values]]) => [
      `${word}.storage.${name}`,
      serves(
        `service {\n admin_port = 0\n}\nconnector "api" {\n type = "rest"\n port = 0\n}\nflow "f" {\n from {\n connector = "api"\n operation = "POST /x"\n }\n ${word} {\n ${lines}\n storage {\n ${storage}\n }\n }\n response {\n a = "1"\n }\n}\n`,
        values,
        connections,
        { recorded: true },
      ),
    ]),
  ),
);
