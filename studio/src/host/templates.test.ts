import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runCommand } from '../../../test/support/service.ts';
import { until } from '../../../test/support/until.ts';
import { knownTemplate, readTemplates, writeTemplate } from './templates.ts';
import { folderWith, type Opened, openHost, templatesDirectory } from './testing/opened.ts';

const ids = ['rest-sqlite', 'http-gateway', 'queue-worker', 'graphql', 'sign-in', 'file-watcher', 'alerts'] as const;

/** What the requests of each template are answered, one after another. */
const answers: Readonly<Record<(typeof ids)[number], readonly number[]>> = {
  'rest-sqlite': [201, 200],
  'http-gateway': [200],
  'queue-worker': [202, 200],
  graphql: [200, 200],
  // The profile needs a token, which the studio fetches for the identity that a request is sent as.
  'sign-in': [201, 200, 401],
  'file-watcher': [202, 200],
  alerts: [202, 200],
};

async function addressOf(host: Opened): Promise<string> {
  return until(async () => {
    const { state, log } = await host.services['service.state']({});
    if (state.kind === 'stopped') throw new Error(`${state.reason}\n${log.map(({ text }) => text).join('\n')}`);
    return state.kind === 'running' ? state.addresses[0] : undefined;
  });
}

interface Brought {
  readonly breakpoints: readonly { readonly flow: string }[];
  readonly first: { readonly text: string; readonly request: string };
  readonly capture?: true;
}

describe('templates', () => {
  test('are offered in an order of their own, with two short lines each', async () => {
    const templates = await readTemplates(templatesDirectory);
    expect(templates.map(({ id }) => id)).toEqual(ids);
    for (const { title, detail } of templates)
      expect([title.length, detail.length].map((length, at) => length <= [24, 64][at]!)).toEqual([true, true]);
    await expect(knownTemplate(templatesDirectory, '../..')).rejects.toThrow(
      `there is no template "../.."; these exist: ${ids.join(', ')}`,
    );
  });

  test.each(ids)('%s runs at once, without any server, and answers its requests', async (template) => {
    const directory = join(folderWith(), 'new', template);
    const host = await openHost();
    const { project } = await host.services['project.create']({ template, directory });
    expect(project).toEqual({ directory, name: template, trusted: true });
    const read = (path: string) => readFileSync(join(directory, path), 'utf8');
    const { breakpoints, first, capture } = JSON.parse(read('.svc/studio.json')) as Brought;
    expect(read(first.text)).toContain(`flow "${breakpoints[0]?.flow}"`);
    expect(existsSync(join(directory, 'requests', `${first.request}.json`))).toBe(true);
    expect(read('README.md')).toContain('svc start');
    expect(existsSync(join(directory, 'template.json'))).toBe(false);

    await host.services['service.start']({ capture });
    const base = await addressOf(host);
    const statuses: number[] = [];
    for (const name of readdirSync(join(directory, 'requests')).sort()) {
      const { method, url, headers, body } = JSON.parse(read(`requests/${name}`)) as {
        readonly method: string;
        readonly url: string;
        readonly headers: Record<string, string>;
        readonly body: unknown;
      };
      const { status, body: answer } = await host.services['http.send']({
        id: name,
        method,
        url: url.replace('{{base}}', base),
        headers,
        ...(body === '' ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      });
      statuses.push(status);
      // GraphQL answers a request that it refuses with 200 too.
      expect(answer).not.toContain('"errors"');
    }
    expect(statuses).toEqual(answers[template]);
  });

  test.each(ids)('%s has tests, and they pass', async (template) => {
    const directory = folderWith();
    await writeTemplate(templatesDirectory, template, directory);
    const { code, stdout, stderr } = await runCommand(['test', '-c', directory]);
    expect({ code, said: code === 0 ? '' : stdout + stderr }).toEqual({ code: 0, said: '' });
    expect(stdout + stderr).toMatch(/^\d+ passed/m);
  });

  test('never go into a folder with files, nor come from elsewhere', async () => {
    const host = await openHost();
    const directory = folderWith({ 'mine.txt': '' });
    await expect(host.services['project.create']({ template: 'rest-sqlite', directory })).rejects.toThrow(
      'has files already',
    );
    await expect(host.services['project.create']({ template: '../..', directory: folderWith() })).rejects.toThrow(
      'there is no template',
    );
  });
});
