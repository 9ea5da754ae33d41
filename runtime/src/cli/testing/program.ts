// `svc start` with a plan that replaces real flows: every REST connector answers with its process and the service's version.
import { setTimeout as wait } from 'node:timers/promises';
import type { Project } from '@svc/protocol/model';
import { service } from '../../engine/settings/spec.ts';
import type { Plan } from '../../foundation/contracts/plan.ts';
import { fakePlan, fakeServer, planned } from '../../service/running/testing/fakes.ts';
import { start } from '../commands/start.ts';
import { endWithLauncher } from '../launched.ts';

const [directory = '.', ...flags] = process.argv.slice(2);

function compile(project: Project): Plan {
  const version = project.one('service', service)?.version ?? '';
  const servers = [...project.connectors.values()].filter(({ spec }) => spec?.type === 'rest');
  const plan = fakePlan(
    servers.map(({ name, values }) => {
      const port = 'port' in values ? Number(values.port) : 0;
      const make = () => {
        const answer = async (url = '') => {
          if (url.startsWith('/slow')) await wait(60_000);
          if (url.startsWith('/stray')) void Promise.reject(new Error('stray error'));
          return `${process.pid} ${version}`;
        };
        return fakeServer(name, [], (request) => answer(request.url), { host: '127.0.0.1', port });
      };
      return planned(name, make, `${name} ${version} ${port}`);
    }),
    Object.fromEntries(servers.map(({ name }) => [`flow_of_${name}`, name])),
  );
  return { ...plan, project };
}

endWithLauncher();
process.exitCode = await start({
  directory,
  workingDirectory: process.cwd(),
  flags: { workers: flags[0], hotReload: true },
  environment: process.env,
  compile,
  error: { write: (text) => void process.stderr.write(text), colour: false, width: 80 },
});
setTimeout(() => process.exit(), 1_000).unref();
