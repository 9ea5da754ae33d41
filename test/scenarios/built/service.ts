import { rmSync } from 'node:fs';
import { connectors } from '../../../runtime/src/connectors/catalog.ts';
import { folderWith } from '../../support/folder.ts';
import { type RunningService, startService } from '../../support/service.ts';
import type { OtherEnd, Row, Written } from './row.ts';
import { connectorBlock } from './written.ts';

/** The built program with the connectors of some rows. */
export class BuiltService {
  readonly #service: RunningService;
  readonly #directory: string;
  /** Why connectors cannot be opened, by their names. */
  readonly unusable: ReadonlyMap<string, string>;

  private constructor(service: RunningService, directory: string, unusable: ReadonlyMap<string, string>) {
    this.#service = service;
    this.#directory = directory;
    this.unusable = unusable;
  }

  /** Where a connector cannot be opened, the service is started without it: the others can be tried all the same. */
  static async start(
    rows: readonly Row[],
    ends: ReadonlyMap<string, OtherEnd>,
    collector: string,
    unusable: ReadonlyMap<string, string> = new Map(),
  ): Promise<BuiltService> {
    const usable = rows.filter(({ name }) => !unusable.has(name));
    const directory = folderWith(configuration(usable, ends, collector));
    try {
      return new BuiltService(await startService({ directory, isUnhealthy: true }), directory, unusable);
    } catch (error) {
      rmSync(directory, { recursive: true });
      const found = reasonsIn((error as Error).message);
      if (found.size === 0) throw error;
      return BuiltService.start(rows, ends, collector, new Map([...unusable, ...found]));
    }
  }

  get address(): string {
    return this.#service.address;
  }

  get admin(): string {
    return this.#service.admin;
  }

  /** Closes every connector; resolves with the status of the program. */
  async close(): Promise<number | null> {
    const { code } = await this.#service.stop();
    console.log(this.#service.log.split('\n').slice(-30).join('\n'));
    rmSync(this.#directory, { recursive: true, force: true });
    return code;
  }
}

function configuration(rows: readonly Row[], ends: ReadonlyMap<string, OtherEnd>, collector: string) {
  const files: Record<string, string> = { 'service.hcl': common(collector) };
  for (const { name, connector, chosen = {} } of rows) {
    const { block = {}, hcl, files: more = {} } = ends.get(name) as OtherEnd;
    const spec = connectors[connector];
    if (spec === undefined) throw new Error(`"${connector}" is not in the catalogue`);
    files[`${name}.hcl`] = connectorBlock(name, spec, { health: 'optional', ...merged(block, chosen) }) + hcl;
    Object.assign(files, more);
  }
  return files;
}

/** What the log of a service that could not start says of its connectors. */
function reasonsIn(log: string): ReadonlyMap<string, string> {
  const lines = log.matchAll(/connector cannot be used connector=(\S+) type=(?:"[^"]*"|\S+) reason=(.*)/g);
  return new Map([...lines].map(([, name, reason]) => [name as string, reason as string]));
}

/** Blocks that both write have the attributes of both. */
function merged(block: Written, chosen: Written): Written {
  const isBlock = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value);
  const both = Object.entries(chosen).map(([name, value]) => {
    const further = isBlock(value) && isBlock(block[name]) ? (block[name] as Written) : undefined;
    return [name, further === undefined ? value : { ...further, ...(value as Written) }];
  });
  return { ...block, ...Object.fromEntries(both) };
}

const common = (collector: string) => `
service {
  name       = "built"
  admin_port = env("ADMIN_PORT")
}

connector "api" {
  type = "rest"
  host = "127.0.0.1"
  port = env("PORT")
}

connector "collector" {
  type     = "http"
  base_url = "${collector}"
}
`;
