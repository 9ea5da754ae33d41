import { isDamaged, type Project } from '@svc/protocol/model';
import type { Diagnostic } from '@svc/protocol/text';
import { readModuleFile } from './host/module-file.ts';
import { prepareModule } from './host/prepare.ts';
import { iconProblem, largestIcon } from './icon.ts';
import type { ModuleUse, PluginModel } from './model.ts';
import { ModuleRefused } from './module/bytes.ts';
import { limitsOfUse, modulesOf } from './modules.ts';
import { pluginsOf } from './vocabulary.ts';

/**
 * What is wrong with the modules that a project names: each is read and compiled, and must export what is asked of it and
 * import nothing else than plugins are given. Nothing of a module runs.
 */
export async function checkModules(project: Project, directory: string): Promise<readonly Diagnostic[]> {
  if (isDamaged(project.files)) return [];
  const found: Diagnostic[] = [];
  for (const use of modulesOf(project).uses) {
    // One that is outside of its folder was refused.
    if (use.path.endsWith('/')) continue;
    const problem = await problemOf(project, use, directory);
    if (problem === undefined) continue;
    const { file, range } = use.origin;
    found.push({
      code: 'invalid-module',
      severity: 'error',
      family: 'config',
      message: `${use.title} cannot be used: ${problem}`,
      file,
      range: { start: range.start, end: range.end },
      help: 'The page "The interface of modules" says what a module exports and what it may import.',
    });
  }
  for (const { name, source, icon } of pluginsOf(project.vocabulary)) {
    const problem = icon && (await problemOfIcon(icon, source, directory));
    if (icon === undefined || problem === undefined) continue;
    const { file, range } = icon.origin;
    found.push({
      code: 'invalid-icon',
      severity: 'error',
      family: 'config',
      message: `the icon of plugin "${name}" cannot be used: ${problem}`,
      file,
      range: { start: range.start, end: range.end },
      help: 'An icon is an SVG file of 32 KiB at most, made of paths and other shapes, with a viewBox.',
    });
  }
  return found;
}

/** An icon is shown by the studio, and may be the work of another maker: it is held to what a picture needs. */
async function problemOfIcon(
  { path }: NonNullable<PluginModel['icon']>,
  folder: string,
  directory: string,
): Promise<string | undefined> {
  try {
    return iconProblem((await readModuleFile({ path, folder }, directory, largestIcon)).toString('utf8'));
  } catch (error) {
    if (error instanceof ModuleRefused) return error.message;
    throw error;
  }
}

async function problemOf(project: Project, use: ModuleUse, directory: string): Promise<string | undefined> {
  try {
    const bytes = await readModuleFile(use, directory);
    const module = await prepareModule(bytes, use.abi, limitsOfUse(project, use).max_memory_mb);
    for (const { name, kind, optional } of use.entries)
      if (optional !== true || module.has(name)) module.convention(name, kind);
    return undefined;
  } catch (error) {
    if (error instanceof ModuleRefused) return error.message;
    throw error;
  }
}
