import type { ModuleEntry, ModulesEntry, PluginEntry } from '@svc/protocol/wire';
import { expect, test } from 'vitest';
import { untilPassed } from '../../../../test/support/until.ts';
import type { Bridge } from '../../shared/services.ts';
import { type Answers, sessionWith } from '../debug/testing/session.ts';
import { PluginIcons } from './icons.ts';
import { limitsText, Plugins, providedText, servedText } from './plugins.ts';

const plugin: PluginEntry = {
  name: 'geo',
  version: '1.0.0',
  description: '',
  source: './geo',
  manifest: 'geo/plugin.hcl',
  icon: null,
  hash: null,
  connectors: ['places'],
  functions: ['near', 'far'],
  validators: [],
  sanitizers: ['clean'],
};
const module: ModuleEntry = {
  name: 'geo/geo.wasm',
  plugin: 'geo',
  path: './geo/geo.wasm',
  hash: null,
  kind: 'functions',
  serves: ['near', 'far'],
  limits: { timeoutMs: 1_500, maxMemoryMb: 64, maxBytes: 1_572_864, instances: 2 },
  ...{ instances: 1, waiting: 0, calls: 3, failed: 0, ended: 0, rebuilt: 0 },
};

function attached(modules: () => ModulesEntry, capabilities = ['modules']) {
  const answers: Answers = {
    'debug.attach': () => ({ sessionId: 's', flows: [], capabilities }),
    'debug.ready': () => ({ ok: true, sources: [] }),
    'debug.threads': () => ({ threads: [] }),
    'inspect.modules': modules,
  };
  const { session, asked } = sessionWith(answers);
  return { plugins: new Plugins(session), session, asked };
}

test('what modules did is asked for with the connection, and while a view is on the screen', async () => {
  let calls = 0;
  const { plugins, session } = attached(() => ({ plugins: [plugin], modules: [{ ...module, calls: ++calls }] }));
  const shown = () => plugins.state.value?.modules.map((each) => each.calls);
  await session.attach('ws://service/debug');
  await untilPassed(() => expect(shown()).toEqual([1]));
  const stop = plugins.watch(() => true);
  await untilPassed(() => expect(calls).toBeGreaterThan(2));
  stop();
  session.detach();
  expect(plugins.state.value).toBeUndefined();
});

test('a service that does not know of modules is not asked, and one that fails leaves what is known', async () => {
  const old = attached(() => ({ plugins: [], modules: [] }), []);
  await old.session.attach('ws://service/debug');
  await old.plugins.refresh();
  expect([old.plugins.state.value, old.asked.includes('inspect.modules')]).toEqual([undefined, false]);
  let fails = false;
  const failing = attached(() => {
    if (fails) throw new Error('no');
    return { plugins: [plugin], modules: [] };
  });
  await failing.session.attach('ws://service/debug');
  await untilPassed(() => expect(failing.plugins.state.value?.plugins).toEqual([plugin]));
  fails = true;
  await failing.plugins.refresh();
  expect(failing.plugins.state.value?.plugins).toEqual([plugin]);
});

test('plugins and modules are described in a few words', () => {
  expect([
    providedText(plugin),
    providedText({ ...plugin, connectors: [], functions: [], sanitizers: [] }),
    servedText(module),
    servedText({ kind: 'functions', serves: ['near'] }),
    servedText({ kind: 'connector', serves: ['places'] }),
    limitsText(module),
    limitsText({ limits: { timeoutMs: 200, maxMemoryMb: 8, maxBytes: 2_048, instances: 1 } }),
  ]).toEqual([
    'connector type places, 2 functions, sanitizer clean',
    'Provides nothing',
    'functions near, far',
    'function near',
    'connector places',
    '1.5 s a call, 64 MB of memory, 1.5 MB in and out, 2 instances',
    '200 ms a call, 8 MB of memory, 2 KB in and out, 1 instance',
  ]);
});

test('an icon is read once, is a picture without markup, and is read again when its file changes', async () => {
  const asked: string[] = [];
  let changed: ((event: { changes: { path: string }[] }) => void) | undefined;
  const texts: Record<string, string> = { 'a.svg': '<svg>"#%</svg>' };
  const icons = new PluginIcons({
    call: async (_: string, { path }: { path: string }) => {
      asked.push(path);
      if (texts[path] === undefined) throw new Error('it is not an icon');
      return { svg: texts[path] };
    },
    on: (_: string, listen: typeof changed) => {
      changed = listen;
      return () => undefined;
    },
  } as unknown as Bridge);
  for (const path of ['a.svg', 'bad.svg', 'a.svg']) icons.want(path);
  const first = 'data:image/svg+xml;charset=utf-8,%3Csvg%3E%22%23%25%3C%2Fsvg%3E';
  await untilPassed(() => expect([...icons.addresses.value.values()]).toEqual([first, '']));
  texts['a.svg'] = '<svg/>';
  changed?.({ changes: [{ path: 'a.svg' }, { path: 'other.svg' }] });
  await untilPassed(() => expect(icons.addresses.value.get('a.svg')).toContain('%3Csvg%2F%3E'));
  expect(asked).toEqual(['a.svg', 'bad.svg', 'a.svg']);
});
