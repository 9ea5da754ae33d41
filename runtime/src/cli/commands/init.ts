import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { quote } from '@svc/protocol/syntax';
import { vocabulary } from '../../checks/vocabulary.ts';
import { type ExitStatus, type Invocation, type Run, UsageError } from '../command.ts';

export const run: Run = async (invocation) => {
  const {
    positionals: [name],
    options,
    workingDirectory,
    streams,
  } = invocation;
  if (options['list'] === true) return listTemplates(invocation);
  const parent = resolve(workingDirectory, typeof options['config'] === 'string' ? options['config'] : '.');
  if (name !== undefined && !/^[\w][\w.-]*$/.test(name))
    throw new UsageError(`"${name}" is not a name for a directory: use letters, digits, dots, dashes and underscores`);
  const directory = name === undefined ? parent : join(parent, name);
  const template = options['template'];
  if (typeof template === 'string') return fromTemplate(invocation, template, directory);
  const files = firstService(basename(directory) || 'service');
  const existing = Object.keys(files).filter((path) => existsSync(join(directory, path)));
  if (existing.length > 0) {
    streams.error.write(`svc init: ${existing.join(', ')} already there in ${directory}; nothing was written\n`);
    return 1;
  }
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(directory, path, '..'), { recursive: true });
    writeFileSync(join(directory, path), text);
    streams.out.write(`${join(directory, path)}\n`);
  }
  streams.error.write(
    `\nNow run:  svc start${name === undefined ? '' : ` -c ${name}`}\nand ask:  curl http://localhost:3000/status\n`,
  );
  return 0;
};

async function listTemplates({ streams }: Invocation): Promise<ExitStatus> {
  const { readTemplates, studioPlaces } = await import('@svc/studio/host');
  const templates = await readTemplates(studioPlaces().templates);
  const width = Math.max(...templates.map(({ id }) => id.length));
  for (const { id, title, detail } of templates) streams.out.write(`${id.padEnd(width)}  ${title}: ${detail}.\n`);
  return 0;
}

/** The same folders that the studio offers at its first page. */
async function fromTemplate(
  { positionals: [name], streams }: Invocation,
  id: string,
  directory: string,
): Promise<ExitStatus> {
  const { knownTemplate, studioPlaces, writeTemplate } = await import('@svc/studio/host');
  const { templates } = studioPlaces();
  await knownTemplate(templates, id).catch((error: Error) => {
    throw new UsageError(error.message);
  });
  try {
    for (const path of await writeTemplate(templates, id, directory)) streams.out.write(`${join(directory, path)}\n`);
  } catch (error) {
    streams.error.write(`svc init: ${(error as Error).message}\n`);
    return 1;
  }
  const at = name === undefined ? '' : ` -c ${name}`;
  const migrate = existsSync(join(directory, 'migrations')) ? `svc migrate${at} && ` : '';
  streams.error.write(
    `\nNow run:  ${migrate}svc start${at}\nor:       svc studio ${name ?? '.'}\nREADME.md says what to ask it.\n`,
  );
  return 0;
}

/** What answers requests. */
const server = vocabulary.connectors.find(({ source }) => source?.routes);

function firstService(name: string): Readonly<Record<string, string>> {
  return {
    'service.hcl': `service {
  name    = ${quote(name)}
  version = "0.1.0"
}
`,
    'connectors/api.hcl': `connector "api" {
  type = ${quote(server?.type ?? '')}
  port = env("PORT", "3000")
}
`,
    'flows/status.hcl': `# Answers GET /status. Expressions in quotes are CEL.
flow "status" {
  from {
    connector = "api"
    operation = "GET /status"
  }
  response {
    status = "'ok'"
    time   = "now()"
  }
}
`,
    '.env.example': `# Copy to .env; variables that are set already win.
PORT=3000
`,
    '.gitignore': `.env
*.db
*.db-shm
*.db-wal
svc_plugins/
`,
  };
}
