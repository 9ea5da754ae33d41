import { isInPlace } from '../../engine/plugins/declared/declared.ts';
import { install } from '../../engine/plugins/install/install.ts';
import type { Log } from '../../foundation/observe/log.ts';
import type { Variables } from '../../service/config/dotenv.ts';
import { untilInterrupted } from './interrupt.ts';
import { readSite } from './site.ts';

export interface AtStart {
  readonly directory: string;
  readonly workingDirectory: string;
  /** The environment of the process. */
  readonly environment: Variables;
  readonly log: Log;
  /** The lock stays as it is, and must name everything. */
  readonly frozen: boolean;
}

/**
 * Installs what a service declares, before its configuration is checked. The first time also what the lock does not have, with a
 * warning; later, when the service is loaded again, only what the lock names. Throws PluginProblem.
 */
export function installsAtStart({ log, frozen, ...place }: AtStart): () => Promise<void> {
  let isFirst = true;
  return async () => {
    const site = await readSite(place.directory, place.workingDirectory, place.environment);
    const isLocked = frozen || !isFirst;
    isFirst = false;
    if (site.declared.every(isInPlace)) return;
    const outcomes = await untilInterrupted((signal) =>
      install(site, {
        purpose: 'start',
        frozen: isLocked,
        signal,
        progress: (line) => log.info('installing a plugin', { plugin: line }),
      }),
    );
    for (const { name, version, commit, result } of outcomes) {
      if (result === 'installed') log.info('plugin installed', { plugin: name, version });
      if (result === 'added')
        log.warn(
          'a plugin was installed that plugins.lock did not have: commit the file, and it is the same everywhere',
          {
            plugin: name,
            version,
            ...(commit !== null && { commit }),
          },
        );
    }
  };
}
