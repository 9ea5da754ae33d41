import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Template } from '../../shared/services.ts';
import type { HostServices } from '../host.ts';
import type { Program } from '../service/service-runner.ts';
import { emptyFolder, type Projects } from './projects.ts';

/** Templates are folders; `template.json` says what each is and is not copied. */
const manifest = 'template.json';

export interface TemplateOptions {
  readonly projects: Projects;
  /** Holds a folder for each template. */
  readonly directory: string;
  readonly program: Program;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** First services that a person may begin with. */
export function templateServices({
  projects,
  directory,
  program,
  environment,
}: TemplateOptions): Pick<HostServices, 'project.templates' | 'project.create'> {
  return {
    'project.templates': async () => ({ templates: await readTemplates(directory) }),
    'project.create': async ({ template, directory: target }) => {
      const known = (await readTemplates(directory)).some(({ id }) => id === template);
      if (!known) throw new Error(`there is no template "${template}"`);
      await emptyFolder(target);
      await copyFolder(join(directory, template), target);
      await projects.open(target);
      // What was written is the product's own, so it may run: its tables are made at once.
      const project = await projects.trust();
      if (await isFolder(join(project.directory, 'migrations'))) await migrate(program, project.directory, environment);
      return { project };
    },
  };
}

/** By reading and writing: the files may be inside an archive, where nothing else is possible. */
async function copyFolder(source: string, target: string): Promise<void> {
  await mkdir(target, { recursive: true });
  for (const entry of await readdir(source, { withFileTypes: true })) {
    const [from, to] = [join(source, entry.name), join(target, entry.name)];
    if (entry.isDirectory()) await copyFolder(from, to);
    else if (entry.name !== manifest) await writeFile(to, await readFile(from), { flag: 'wx' });
  }
}

async function isFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isDirectory() === true;
}

function migrate({ executable, args }: Program, cwd: string, env: TemplateOptions['environment']): Promise<void> {
  return new Promise((resolve, reject) => {
    execFile(executable, [...args, 'migrate', '-c', cwd], { cwd, env, timeout: 60_000 }, (error, _out, said) => {
      if (error === null) resolve();
      else reject(new Error(`the project was made, but its tables could not be: ${said.trim() || error.message}`));
    });
  });
}

async function readTemplates(directory: string): Promise<Template[]> {
  const templates = await Promise.all(
    (await readdir(directory)).map(async (id) => {
      const { order, ...words } = JSON.parse(await readFile(join(directory, id, manifest), 'utf8')) as {
        readonly order: number;
      } & Omit<Template, 'id'>;
      return { order, template: { id, ...words } };
    }),
  );
  return templates.sort((a, b) => a.order - b.order).map(({ template }) => template);
}
