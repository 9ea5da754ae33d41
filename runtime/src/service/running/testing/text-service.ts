import { functionDocumentation } from '@svc/protocol/cel';
import { loadProject, type Project } from '@svc/protocol/model';
import { freePort } from '../../../../../test/support/free-port.ts';
import { projectRules } from '../../../checks/project-rules.ts';
import { vocabulary } from '../../../checks/vocabulary.ts';
import { loadFactory } from '../../../connectors/registry.ts';
import { compilePlan } from '../../../engine/plan/compile.ts';
import { createService, type Service } from '../service.ts';
import type { ServiceSetup } from '../setup.ts';
import { loaded, setup } from './fakes.ts';

/** A service in this process, of a text of configuration with a connector `rest` at `env("PORT")`. */
export interface TextService {
  readonly service: Service;
  /** What `env("PORT")` is. */
  readonly port: number;
  readonly address: string;
  ask(method: string, path: string, body?: object): Promise<{ readonly status: number; readonly body: unknown }>;
  /** Reads another text, as a reload does. */
  reload(text: string): Promise<unknown>;
  stop(): Promise<void>;
}

export async function startText(
  text: string,
  environment: Readonly<Record<string, string>> = {},
  own: Partial<ServiceSetup> = {},
): Promise<TextService> {
  const port = await freePort();
  let current = text;
  const load = async () =>
    loaded(compilePlan(checked(projectIn(current, { PORT: String(port), ...environment })), { load: loadFactory }));
  const service = createService(setup(load, own).parts);
  await service.start();
  const address = `http://127.0.0.1:${port}`;
  return {
    service,
    port,
    address,
    ask: async (method, path, body) => {
      const answer = await fetch(`${address}${path}`, {
        method,
        ...(body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
      });
      return { status: answer.status, body: await answer.json() };
    },
    reload: (next) => {
      current = next;
      return service.reload();
    },
    stop: async () => {
      await service.stop();
    },
  };
}

function projectIn(text: string, environment: Readonly<Record<string, string>>): Project {
  const host = {
    env: (name: string) => environment[name],
    readFile: () => '',
    absolutePath: (path: string) => path,
  };
  const expressionFunctions = functionDocumentation.map(({ name }) => name);
  return loadProject([{ path: 'service.hcl', text }], { vocabulary, host, expressionFunctions }, projectRules);
}

function checked(project: Project): Project {
  const errors = project.diagnostics.filter(({ severity }) => severity === 'error');
  if (errors.length > 0)
    throw new Error(errors.map(({ code, message, help }) => `${code}: ${message} (${help})`).join('\n'));
  return project;
}
