import { functionDocumentation } from '@svc/protocol/cel';
import type { ProjectRule, Report } from '@svc/protocol/model';
import { type Origin, originOf } from '@svc/protocol/schema';
import { security } from '../flow/stages/sanitize/spec.ts';
import { validator } from '../flow/stages/validate/spec.ts';
import { modulesOf } from './modules.ts';
import { functions, plugin } from './spec.ts';
import { isFolder, pluginsOf } from './vocabulary.ts';

/** Sources of plugins, and names that several blocks or plugins would give. */
export const checkPlugins: ProjectRule = (project, report) => {
  for (const { values } of project.all('plugin', plugin)) {
    const { source } = values;
    if (source !== undefined && !isFolder(source))
      report(
        'not-available',
        `the source ${source} is not a folder: plugins from repositories and archives are not built yet`,
        originOf(values, 'source'),
        { help: 'Name a folder of this machine that begins with ./, ../ or /.' },
      );
  }
  const builtIn = new Set(functionDocumentation.map(({ name }) => name));
  const all = modulesOf(project).functions;
  for (const { name, origin } of all)
    if (builtIn.has(name))
      report('duplicate-name', `${name}() is a function of expressions already`, origin, {
        help: 'Export it from the module under another name.',
      });
  refuseEqual('function', all, report);
  for (const { values } of project.all('functions', functions)) {
    const names = new Set((values.exports ?? []).map((text) => text.split('(')[0]?.trim()));
    for (const name of values.deterministic ?? [])
      if (!names.has(name))
        report(
          'unknown-function',
          `deterministic names ${name}, which is not among exports`,
          originOf(values, 'deterministic'),
          {
            help: `These are: ${[...names].join(', ')}.`,
          },
        );
  }
  const plugins = pluginsOf(project.vocabulary);
  refuseEqual(
    'validator',
    [
      ...project.all('validator', validator).map(({ name, nameOrigin }) => ({ name, origin: nameOrigin })),
      ...plugins.flatMap(({ validators }) => validators.map(({ name, module }) => ({ name, origin: module.origin }))),
    ],
    report,
  );
  refuseEqual(
    'sanitizer',
    [
      ...(project.one('security', security)?.sanitizer ?? []).map((each) => ({
        name: each.label,
        origin: originOf(each),
      })),
      ...plugins.flatMap(({ sanitizers }) => sanitizers.map(({ name, module }) => ({ name, origin: module.origin }))),
    ],
    report,
  );
};

function refuseEqual(
  what: string,
  all: readonly { readonly name: string; readonly origin: Origin }[],
  report: Report,
): void {
  const seen = new Map<string, Origin>();
  for (const { name, origin } of all) {
    const first = seen.get(name);
    if (first === undefined) seen.set(name, origin);
    else if (first.file !== origin.file || first.range.start !== origin.range.start || what === 'function')
      report('duplicate-name', `there is another ${what} named "${name}"`, origin, {
        help: 'Give each a name of its own.',
        related: [{ message: 'the first one is here', ...first }],
      });
  }
}
