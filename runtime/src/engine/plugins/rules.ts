import { functionDocumentation } from '@svc/protocol/cel';
import type { Project, ProjectRule, Report } from '@svc/protocol/model';
import { isWritten, type Origin, originOf, type Values } from '@svc/protocol/schema';
import { compileGlob } from '../flow/aspects/glob.ts';
import { security } from '../flow/stages/sanitize/spec.ts';
import { validator } from '../flow/stages/validate/spec.ts';
import { readConstraint } from './declared/constraint.ts';
import { isInPlace, pluginName } from './declared/declared.ts';
import { readSource } from './declared/source.ts';
import type { PluginModel } from './model.ts';
import { modulesOf } from './modules.ts';
import { functions, plugin } from './spec.ts';
import { pluginsOf } from './vocabulary.ts';

/** Sources of plugins, and names that several blocks or plugins would give. */
export const checkPlugins: ProjectRule = (project, report) => {
  const found = pluginsOf(project.vocabulary);
  for (const { name, nameOrigin, values } of project.all('plugin', plugin))
    checkDeclaration(project, name, nameOrigin, values, report);
  const builtIn = new Set(functionDocumentation.map(({ name }) => name));
  const all = modulesOf(project).functions;
  for (const { name, origin } of all)
    if (builtIn.has(name))
      report('duplicate-name', `${name}() is a function of expressions already`, origin, {
        help: 'Export it from the module under another name.',
      });
  refuseEqual('function', all, report);
  for (const { values } of project.all('functions', functions))
    checkDeterministic(values.exports ?? [], values.deterministic, originOf(values, 'deterministic'), report);
  for (const each of found) checkProvided(each, report);
  refuseEqual(
    'validator',
    [
      ...project.all('validator', validator).map(({ name, nameOrigin }) => ({ name, origin: nameOrigin })),
      ...found.flatMap(({ validators }) => validators.map(({ name, module }) => ({ name, origin: module.origin }))),
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
      ...found.flatMap(({ sanitizers }) => sanitizers.map(({ name, module }) => ({ name, origin: module.origin }))),
    ],
    report,
  );
};

/** What is declared is known before anything else is read, and nothing of it reaches another program unchecked. */
function checkDeclaration(
  project: Project,
  name: string,
  nameOrigin: Origin,
  values: Values<typeof plugin>,
  report: Report,
): void {
  const { source, version, copy } = values;
  for (const word of ['source', 'version', 'copy'] as const) {
    const at = originOf(values, word);
    if (isWritten(values, word) && !isWrittenOut(project, at))
      report('not-literal', `the ${word} of plugin "${name}" must be written out`, at, {
        help: 'Write the value itself: what a plugin provides is known before anything else is read.',
      });
  }
  if (source === undefined) return;
  const place = readSource(source);
  if ('problem' in place) {
    report('invalid-value', place.problem, originOf(values, 'source'), { help: place.help });
    return;
  }
  if (!isInPlace({ source, copy }) && !pluginName.test(name))
    report('invalid-value', `"${name}" is not a name of an installed plugin`, nameOrigin, {
      help: 'Write lower-case letters, digits, - and _, beginning with a letter: it is the name of a folder.',
    });
  if (copy && place.kind !== 'folder')
    report(
      'conflicting-attributes',
      'only folders are copied: this plugin is installed anyway',
      originOf(values, 'copy'),
      {
        help: 'Remove copy.',
      },
    );
  if (version === undefined) return;
  const at = originOf(values, 'version');
  const allowed = readConstraint(version);
  if (place.kind !== 'git')
    report('conflicting-attributes', `${place.kind === 'folder' ? 'a folder' : 'an archive'} has one version`, at, {
      help: 'Remove version: tags of repositories are versions.',
    });
  else if ('problem' in allowed) report('invalid-value', allowed.problem, at, { help: allowed.help });
}

/** Whether the text of a place is a constant. */
function isWrittenOut({ files }: Project, { file, range }: Origin): boolean {
  const text = files.find((tree) => tree.file === file)?.text.slice(range.start, range.end) ?? '';
  return /^(true|false|"([^"$%\\]|\\.|[$%](?!\{))*")$/.test(text);
}

function checkDeterministic(
  exports: readonly string[],
  deterministic: readonly string[] | undefined,
  at: Origin,
  report: Report,
): void {
  const names = new Set(exports.map((text) => text.split('(')[0]?.trim()));
  for (const name of deterministic ?? [])
    if (!names.has(name))
      report('unknown-function', `deterministic names ${name}, which is not among exports`, at, {
        help: `These are: ${[...names].join(', ')}.`,
      });
}

/** Patterns of the sanitizers of a plugin. */
function checkProvided({ sanitizers }: PluginModel, report: Report): void {
  for (const { flows = [], module } of sanitizers)
    for (const pattern of flows) {
      const glob = compileGlob(pattern);
      if ('problem' in glob)
        report('invalid-pattern', `the pattern "${pattern}" is malformed: ${glob.problem}`, module.origin);
    }
}

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
