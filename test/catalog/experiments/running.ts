import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { inDirectory } from '../../../runtime/src/cli/testing/typed.ts';
import { compilePlan } from '../../../runtime/src/engine/plan/compile.ts';
import { systemClock } from '../../../runtime/src/foundation/observe/clock.ts';
import { HttpListener } from '../../../runtime/src/platform/http/sockets/listener.ts';
import { loadService } from '../../../runtime/src/service/running/load.ts';
import { createService } from '../../../runtime/src/service/running/service.ts';
import { memoryLog } from '../../../runtime/src/service/running/testing/fakes.ts';
import { freePort } from '../../support/free-port.ts';
import type { Experiment } from './experiment.ts';

/** A service that runs, with everything real, on ports of its own. */
export interface Running {
  readonly api: number;
  readonly admin: number;
  /** The ports that the configuration reads as `env("ONE")` and `env("TWO")`. */
  readonly ports: readonly [number, number];
  /** Status, the headers that limits and access add, and the body; `refused` where nothing listens. */
  ask(port: number, path: string, headers?: Readonly<Record<string, string>>, host?: string): Promise<unknown>;
  /** What each of the two ports was sent, where a server records it there. */
  readonly received: readonly (readonly string[])[];
  /** The tables of each SQLite file of the configuration. */
  tables(): readonly (readonly [string, readonly string[]])[];
}

const shownHeaders = ['x-ratelimit-limit', 'retry-after', 'www-authenticate', 'x-answered-by'];

/** Starts a service with each value; what `look` sees of it counts, or why it did not start. */
export function serves(
  configuration: string,
  values: Experiment['values'],
  look: (service: Running) => Promise<unknown>,
  { recorded = false }: { readonly recorded?: boolean } = {},
): Experiment {
  return {
    values,
    observe: (value) =>
      inDirectory({ 'main.hcl': configuration.replaceAll('§', () => value) }, async (directory) => {
        const ports = [await freePort(), await freePort()] as const;
        const recorders = recorded ? await Promise.all(ports.map(RecordingServer.listen)) : [];
        const environment = { ONE: String(ports[0]), TWO: String(ports[1]) };
        const { log } = memoryLog();
        const service = createService({
          load: () =>
            loadService(
              directory,
              { environment, workingDirectory: directory, workers: 1 },
              'development',
              (project, engine) => compilePlan(project, { engine }),
            ),
          createListener: (connectors, application) => new HttpListener(connectors, application),
          log,
          clock: systemClock,
          environment: 'development',
          production: false,
          directory,
          productVersion: '0.0.0',
        });
        try {
          const { addresses, admin } = await service.start();
          return await look({
            api: addresses.get('api')?.port ?? 0,
            admin: admin?.port ?? 0,
            ports,
            ask,
            received: recorders.map(({ received }) => received),
            tables: () => tablesIn(directory),
          });
        } catch (error) {
          return (error as Error).message.replaceAll(directory, '');
        } finally {
          await service.stop();
          for (const recorder of recorders) recorder.close();
        }
      }),
  };
}

/** Takes the place of a Redis server: it answers every command with OK, and records them with the address they came to. */
class RecordingServer {
  readonly received: string[] = [];
  readonly #server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.on('data', (chunk) => {
      const commands = chunk.toString().split(/(?=\*\d+\r\n)/);
      for (const command of commands) this.received.push(`${socket.localAddress} ${textOf(command)}`);
      socket.write('+OK\r\n'.repeat(commands.length));
    });
  });

  static async listen(port: number): Promise<RecordingServer> {
    const made = new RecordingServer();
    made.#server.listen(port, '0.0.0.0');
    await once(made.#server, 'listening');
    return made;
  }

  close(): void {
    this.#server.close();
  }
}

/** The words of a command, without their lengths. */
const textOf = (command: string): string =>
  command
    .replace(/[*$]\d+\r\n/g, '')
    .trim()
    .replaceAll('\r\n', ' ');

async function ask(
  port: number,
  path: string,
  headers: Readonly<Record<string, string>> = {},
  host = '127.0.0.1',
): Promise<unknown> {
  try {
    const answer = await fetch(`http://${host}:${port}${path}`, { headers });
    const shown = shownHeaders.map((name) => answer.headers.get(name));
    return [answer.status, shown, (await answer.text()).replace(/"request_id":"[^"]*"/, '')];
  } catch {
    return 'refused';
  }
}

function tablesIn(directory: string) {
  const files = readdirSync(directory).filter((name) => name.endsWith('.db'));
  return files.sort().map((name) => {
    const database = new DatabaseSync(join(directory, name), { readOnly: true });
    const rows = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name").all();
    database.close();
    return [name, rows.map((row) => String(row['name']))] as const;
  });
}
