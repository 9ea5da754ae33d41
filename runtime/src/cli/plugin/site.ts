import { parseHcl } from '@svc/protocol/syntax';
import { readDotenv, withDotenv } from '../../config/dotenv.ts';
import { readConfiguration } from '../../config/read.ts';
import { declaredIn } from '../../plugins/declared/declared.ts';
import type { Site } from '../../plugins/install/state.ts';
import { directoryOf } from '../call.ts';
import type { Invocation } from '../command.ts';

/** What the configuration of a command declares of plugins. Nothing else of it needs to be valid. */
export async function siteOf(invocation: Invocation): Promise<Site> {
  const { environment, workingDirectory } = invocation;
  const directory = directoryOf({ ...invocation, positionals: [] });
  return readSite(directory, workingDirectory, environment);
}

/** What a configuration declares of plugins. Rejects when a file cannot be read. */
export async function readSite(
  directory: string,
  workingDirectory: string,
  environment: Site['variables'],
): Promise<Site> {
  const [files, dotenv] = await Promise.all([
    readConfiguration(directory, { tests: false }),
    readDotenv(directory, workingDirectory, environment),
  ]);
  const mentioning = files.filter(({ text }) => /\bplugin\b/.test(text));
  const declared = mentioning.flatMap(({ path, text }) => declaredIn(parseHcl(text, path)));
  return { directory, declared, variables: withDotenv(environment, dotenv) };
}
