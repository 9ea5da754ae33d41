import { resolve } from 'node:path';
import { isDamaged, type Project } from '@svc/protocol/model';
import { fileStamp } from './host/module-file.ts';
import { modulesOf } from './modules.ts';
import { pluginsOf } from './vocabulary.ts';

/**
 * Modules, manifests and icons that a project names, by their absolute paths, each with what it is known by now; undefined
 * for a project of which too much cannot be read.
 */
export function namedPluginFiles(project: Project, directory: string): ReadonlyMap<string, string> | undefined {
  if (isDamaged(project.files)) return undefined;
  const modules = modulesOf(project).uses.flatMap(({ path }) => (path === '' || path.endsWith('/') ? [] : [path]));
  const others = pluginsOf(project.vocabulary).flatMap(({ manifest, icon }) => [manifest, icon?.path ?? []].flat());
  return new Map(
    [...modules, ...others].map((path) => [resolve(directory, path), fileStamp({ path }, directory)] as const),
  );
}
