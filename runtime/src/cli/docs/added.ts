import { functionDocumentation } from '@svc/protocol/cel';
import { loadProject } from '@svc/protocol/model';
import type { Vocabulary } from '@svc/protocol/schema';
import { vocabulary } from '../../checks/vocabulary.ts';
import { modulesOf } from '../../engine/plugins/modules.ts';
import { withPlugins } from '../../engine/plugins/vocabulary.ts';
import { readDotenv, type Variables, withDotenv } from '../../service/config/dotenv.ts';
import { nodeHost } from '../../service/config/host.ts';
import { readConfiguration } from '../../service/config/read.ts';

/** What modules add to the language for one configuration. */
export interface Added {
  /** With the connectors of its plugins. */
  readonly vocabulary: Vocabulary;
  /** Its functions, validators and sanitizers. */
  readonly names: readonly string[];
  /** What is known of one of them. */
  pages(words: readonly string[]): readonly string[];
}

/** Undefined where the directory has no configuration that can be read; it need not be valid. */
export async function addedBy(
  directory: string,
  workingDirectory: string,
  environment: Variables,
): Promise<Added | undefined> {
  const files = await readConfiguration(directory, { tests: false }).catch(() => []);
  if (files.length === 0) return undefined;
  const dotenv = await readDotenv(directory, workingDirectory, environment).catch(() => undefined);
  const host = nodeHost({ directory, workingDirectory, variables: withDotenv(environment, dotenv), confined: true });
  const expressionFunctions = functionDocumentation.map(({ name }) => name);
  const project = loadProject(files, { vocabulary, host, expressionFunctions, extend: withPlugins }, []);
  const { functions, validators, sanitizers } = modulesOf(project);
  const pages: readonly (readonly [name: string, page: string])[] = [
    ...functions.map(({ name, parameters, deterministic, module }) => {
      const signature = `${name}(${parameters?.join(', ') ?? '…'})`;
      const folded = deterministic ? ' It gives the same for the same arguments.' : '';
      return [name, `- \`${signature}\`: A function of ${module.title}.${folded}`] as const;
    }),
    ...[...validators.values()].map(({ name, message, module }) => {
      const said = message === undefined ? '' : ` A value that it refuses ${message}.`;
      return [name, `- \`validator = "${name}"\`: A validator of ${module.title}.${said}`] as const;
    }),
    ...sanitizers.map(({ name, flows, module }) => {
      const where = flows === undefined ? 'every flow' : `flows named ${flows.join(', ')}`;
      return [name, `- \`sanitizer "${name}"\`: A sanitizer of ${module.title}, for ${where}.`] as const;
    }),
  ];
  return {
    vocabulary: project.vocabulary,
    names: pages.map(([name]) => name),
    pages: ([first, ...rest]) =>
      rest.length > 0 ? [] : pages.filter(([name]) => name === first).map(([, page]) => page),
  };
}
