import { execFile } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { HostServices } from '../host.ts';
import type { Program } from '../service/runner-options.ts';
import { knownTemplate, readTemplates, writeTemplate } from '../templates.ts';
import { emptyFolder, type Projects } from './projects.ts';

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
      await knownTemplate(directory, template);
      await emptyFolder(target);
      await writeTemplate(directory, template, target);
      await projects.open(target);
      // What was written is the product's own, so it may run: its tables are made at once.
      const project = await projects.trust();
      if (await isFolder(join(project.directory, 'migrations'))) await migrate(program, project.directory, environment);
      return { project };
    },
  };
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
