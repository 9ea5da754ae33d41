import type { ConfigurationFile } from '@svc/protocol/model';
import type { DotenvFile } from './dotenv.ts';

/** Everything that was read to load a configuration, so that another process can load the same although files changed. */
export interface ConfigurationSnapshot {
  readonly files: readonly ConfigurationFile[];
  readonly dotenv: DotenvFile | undefined;
  /** What the files read of others, by the path as written. */
  readonly texts: Readonly<Record<string, string>>;
}
