import type { ConfigurationFile } from '@svc/protocol/model';
import { parseHcl } from '@svc/protocol/syntax';
import { declaredIn } from '../../engine/plugins/declared/declared.ts';
import type { Site } from '../../engine/plugins/install/state.ts';
import { readDotenv, withDotenv } from '../../service/config/dotenv.ts';
import { readConfiguration } from '../../service/config/read.ts';
import { directoryOf } from '../call.ts';
import type { Invocation } from '../command.ts';

/** What the configuration of a command declares of plugins. Nothing else of it needs to be valid, but it must be known. */
export async function siteOf(invocation: Invocation): Promise<Site> {
  const { environment, workingDirectory } = invocation;
  const directory = directoryOf({ ...invocation, positionals: [] });
  const files = await readConfiguration(directory, { tests: false });
  for (const { unreadable } of files) if (unreadable?.code === 'unreadable-file') throw new Error(unreadable.message);
  return siteIn(files, directory, workingDirectory, environment);
}

/** What a configuration declares of plugins, as far as its files can be read. */
export async function readSite(
  directory: string,
  workingDirectory: string,
  environment: Site['variables'],
): Promise<Site> {
  return siteIn(await readConfiguration(directory, { tests: false }), directory, workingDirectory, environment);
}

async function siteIn(
  files: readonly ConfigurationFile[],
  directory: string,
  workingDirectory: string,
  environment: Site['variables'],
): Promise<Site> {
  const dotenv = await readDotenv(directory, workingDirectory, environment);
  const mentioning = files.filter(({ text }) => /\bplugin\b/.test(text));
  const declared = mentioning.flatMap(({ path, text }) => declaredIn(parseHcl(text, path)));
  return { directory, declared, variables: withDotenv(environment, dotenv) };
}
