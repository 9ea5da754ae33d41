import { expect, test } from 'vitest';
import { Editor } from './testing/editor.ts';

const connectors = `connector "api" {
  type = "rest"
  port = 3000
}
connector "db" {
  type     = "database"
  driver   = "sqlite"
  database = "x.db"
}
`;
const flow = (name: string, target = 'orders') => `flow "${name}" {
  from {
    connector = "api"
    operation = "POST /${name}"
  }
  to {
    connector = "db"
    target    = "${target}"
  }
}
`;

const now = (texts: Readonly<Record<string, string>>) => new Editor({ ...texts, 'cursor.hcl': '<|>' }).service;

test('connectors and flows that came, changed and went are distinguished by their names', () => {
  const service = now({ 'connectors.hcl': connectors, 'a.hcl': flow('kept') + flow('changed', 'new') + flow('came') });
  const earlier = [
    { path: 'connectors.hcl', text: `${connectors}connector "old" {\n  type = "http"\n  base_url = "http://x"\n}\n` },
    { path: 'a.hcl', text: flow('kept') + flow('changed') },
    { path: 'gone.hcl', text: flow('went') },
  ];
  const { differences, outline } = service.compare(earlier);
  expect(differences).toEqual({
    'connector old': 'removed',
    'flow changed': 'changed',
    'flow came': 'added',
    'flow went': 'removed',
  });
  expect(outline.flows.map(({ name }) => name)).toEqual(['kept', 'changed', 'came', 'went']);
  expect(outline.connectors.map(({ name }) => name)).toEqual(['api', 'db', 'old']);
  expect(outline.edges.filter((edge) => edge.flow === 'flow went').map(({ connector }) => connector)).toEqual([
    'connector api',
    'connector db',
  ]);
});

test('a block that moved to another file, and other line ends, change nothing; what a flow uses elsewhere does', () => {
  const used = flow('f').replace('  to {', '  transform {\n    use = "base"\n  }\n  to {');
  const base = (rule: string) => `transform "base" {\n  id = "${rule}"\n}\n`;
  const service = now({ 'connectors.hcl': connectors, 'moved.hcl': used, 'base.hcl': base('input.id') });
  const moved = [
    { path: 'moved.hcl', text: undefined },
    { path: 'a.hcl', text: used.replaceAll('\n', '\r\n') },
  ];
  expect(service.compare(moved).differences).toEqual({});
  expect(service.compare([{ path: 'base.hcl', text: base('input.key') }]).differences).toEqual({ 'flow f': 'changed' });
  // What was asked before leaves nothing behind.
  expect(service.compare([]).differences).toEqual({});
});

test('a connector that is gone and still used is drawn once', () => {
  const service = now({ 'a.hcl': flow('f') });
  const { differences, outline } = service.compare([{ path: 'connectors.hcl', text: connectors }]);
  expect(differences).toEqual({ 'connector api': 'removed', 'connector db': 'removed' });
  expect(outline.connectors.map(({ id, declared }) => [id, declared])).toEqual([
    ['connector api', false],
    ['connector db', false],
  ]);
});
