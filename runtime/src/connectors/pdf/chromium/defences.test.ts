import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { textOf } from '../../../../../test/support/pdf.ts';
import { findProgram } from '../../../../../test/support/servers/program.ts';
import { until } from '../../../../../test/support/until.ts';
import { described, type PdfBed } from '../testing/bed.ts';
import { type Defences, print } from './browser.ts';
import { strictPolicy } from './page-server.ts';
import { chromiumBed, isRoot } from './testing/bed.ts';

let bed: PdfBed;
beforeEach(() => {
  bed = chromiumBed({ 'template.html': '<p>first</p>' });
});
afterEach(() => bed.close());

const browser = (findProgram('chromium') ?? findProgram('chromium-browser') ?? findProgram('google-chrome')) as string;

/** What is printed of a page with some defences. */
async function printed(html: string, defences: Defences): Promise<string> {
  const settings = { executable: browser, env: { PATH: process.env['PATH'] ?? '' }, sandbox: !isRoot };
  const page = { html, root: bed.folder, template: 'template.html' };
  const { answer, gone } = await print(page, settings, new AbortController().signal, defences);
  const bytes = await answer;
  await gone;
  return textOf(Buffer.from(bytes)).trim();
}

describe('S-54: each of two defences is enough', () => {
  const scripted = `<p>first</p><script>document.write('scripted')</script><img src="x" onerror="document.body.append('failed')"><svg onload="document.body.append('drawn')"></svg>`;

  test.each<[string, Defences]>([
    ['the policy of the page', { policy: strictPolicy, scripts: true }],
    ['the browser, which runs no script', { policy: "default-src 'self' 'unsafe-inline'", scripts: false }],
  ])('scripts: %s', async (_, defences) => {
    expect(await printed(scripted, defences)).toBe('first');
  });

  test('without either, a script runs', async () => {
    const open = { policy: "default-src 'self' 'unsafe-inline'", scripts: true };
    expect(await printed(scripted, open)).toContain('scripted');
  });
});

test.each([
  ['another server', 'http://127.0.0.1:40404/'],
  ['a file', 'file:///etc/passwd'],
  ['another file of the folder', 'other.html'],
])('S-54: a page that leads to %s is printed itself: it leads nowhere', async (_, address) => {
  bed.write('other.html', 'other');
  bed.write('template.html', `<meta http-equiv="refresh" content="0; url=${address}"><p>first</p>`);
  expect(textOf(await bed.document()).trim()).toBe('first');
});

interface NetEvent {
  readonly type: number;
  readonly params?: Readonly<Record<string, unknown>>;
}

/** What a browser did in the network, by its own log (`--log-net-log`). */
function networkOf(path: string) {
  const text = readFileSync(path, 'utf8');
  const types = JSON.parse(/"logEventTypes":\s*(\{[^}]*\})/.exec(text)?.[1] ?? '{}') as Record<string, number>;
  const lines = text.split('\n').filter((line) => line.startsWith('{"'));
  // The last line has the end of the list.
  const events = lines.slice(1).map((line) => JSON.parse(line.replace(/(\]\}?)?,?$/, '')) as NetEvent);
  const all = (name: string) => {
    expect(types).toHaveProperty(name);
    return events.filter(({ type }) => type === types[name]).map(({ params = {} }) => params);
  };
  return {
    count: events.length,
    names: [...new Set(all('HOST_RESOLVER_MANAGER_REQUEST').flatMap(({ host }) => (host === undefined ? [] : [host])))],
    lookups: ['HOST_RESOLVER_MANAGER_JOB', 'HOST_RESOLVER_SYSTEM_TASK', 'DNS_TRANSACTION'].flatMap(all),
    addresses: [...new Set(all('TCP_CONNECT').flatMap(({ address_list: list }) => (list as string[]) ?? []))],
  };
}

test('S-54: no name is looked up, and no address is connected to but that of the proxy', async () => {
  const log = join(bed.folder, 'network.json');
  bed.write('browser', `#!/bin/sh\nexec ${browser} "$@" --log-net-log=${log} --net-log-capture-mode=Everything\n`);
  chmodSync(join(bed.folder, 'browser'), 0o755);
  bed.write(
    'template.html',
    `<link rel="dns-prefetch" href="http://prefetch.example"><link rel="preconnect" href="https://preconnect.example">
     <img src="http://image.example/a.png"><a href="http://link.example">first</a>`,
  );
  const connector = bed.connector({ executable: './browser' });
  await connector.open(new AbortController().signal);
  await connector.target.prepare(described)({ payload: {} });
  // Its log is complete when it has ended.
  await connector.close();
  const { count, names, lookups, addresses } = networkOf(log);
  expect(count).toBeGreaterThan(10);
  // The resolver is asked for the name that its rules put in the place of every other.
  expect(names.filter((name) => !/^https?:\/\/~notfound$/.test(String(name)))).toEqual([]);
  expect([lookups, addresses]).toEqual([[], [expect.stringMatching(/^127\.0\.0\.1:\d+$/)]]);
});

const user = 65_534;
/** Whether another user may make what the sandbox is made of: namespaces. */
const hasNamespaces = () => {
  try {
    execFileSync(findProgram('unshare') ?? '', ['--user', '--pid', '--fork', 'true'], {
      uid: user,
      gid: user,
      stdio: 'ignore',
    });
    return true;
  } catch {
    process.stderr.write('The sandbox of the browser is NOT tested: the kernel gives users no namespaces.\n');
    return false;
  }
};

test.runIf(process.platform === 'linux' && isRoot && hasNamespaces())(
  'S-54: run by a user, the browser has its sandbox: pages are in namespaces of their own, with a filter of system calls',
  async () => {
    const rows = '<tr><td>a</td><td>b</td></tr>'.repeat(5_000);
    writeFileSync(join(bed.folder, 'template.html'), `<table>${rows}</table>`);
    chmodSync(bed.folder, 0o777);
    const source = (path: string) => JSON.stringify(join(import.meta.dirname, path));
    bed.write(
      'print.mjs',
      `import { create } from ${source('connector.ts')};
       import { pdfChromium } from ${source('spec.ts')};
       import { configured } from ${source('../../../../../test/support/configured.ts')};
       import { connectorServices } from ${source('../../../../../test/support/connector-services.ts')};
       const connector = create('documents', configured(pdfChromium.config, { template: 'template.html' }), connectorServices({ directory: process.cwd() }));
       await connector.open(new AbortController().signal);
       const described = { verb: 'create', timeout: 3_600_000, exact: false, flow: 'f', label: 'to' };
       const { rows } = await connector.target.prepare(described)({ payload: {} });
       await connector.close();
       console.log(rows[0].size);`,
    );
    const child = spawn(process.execPath, ['print.mjs'], {
      cwd: bed.folder,
      uid: user,
      gid: user,
      env: { PATH: process.env['PATH'], TMPDIR: bed.folder },
    });
    let output = '';
    let problem = '';
    child.stdout.on('data', (piece) => (output += piece));
    child.stderr.on('data', (piece) => (problem += piece));
    const status = await until(() => (child.exitCode === null ? statusOfPage(bed.folder) : 'ended')).catch(String);
    await until(() => child.exitCode !== null);
    expect([problem, Number(output)]).toEqual(['', expect.any(Number)]);
    expect(Number(output)).toBeGreaterThan(1000);
    // Seccomp 2 is a filter; a second number of the process is that in a namespace.
    expect(status).toMatch(/^Seccomp:\t2$/m);
    expect(status).toMatch(/^NSpid:\t\d+\t\d+/m);
  },
);

/** The status of the process that has the page of a browser whose files are in a folder. */
function statusOfPage(folder: string): string | undefined {
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name)))
    try {
      const line = readFileSync(`/proc/${pid}/cmdline`, 'latin1');
      if (line.includes('--type=renderer') && line.includes(folder)) {
        const status = readFileSync(`/proc/${pid}/status`, 'latin1');
        // It begins without its filter.
        if (/^Seccomp:\t2$/m.test(status)) return status;
      }
    } catch {
      // It has ended.
    }
  return undefined;
}
