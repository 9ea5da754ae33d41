import { expect, test } from 'vitest';
import { isTest, readSources } from './sources.ts';

const protocol = readSources().filter(({ path }) => path.startsWith('protocol/src/') && !isTest(path));

test('the protocol imports no built-in module of Node', () => {
  const found = protocol.flatMap(({ path, imports }) =>
    imports.flatMap(({ specifier }) => (specifier.startsWith('node:') ? [`${path} imports ${specifier}`] : [])),
  );
  expect(found).toEqual([]);
});

test('the protocol names nothing that only a platform has', () => {
  const platform =
    /(?<![\w.'"`])(console|process|globalThis|window|document|setTimeout|setInterval|fetch|Buffer)\s*[.(]/;
  const found = protocol.flatMap(({ path, text }) =>
    text.split('\n').flatMap((line, index) => {
      const code = line.replace(/^\s*(\/\/|\/?\*).*/, '');
      const match = platform.exec(code);
      return match === null ? [] : [`${path}:${index + 1} ${match[1]}`];
    }),
  );
  expect(found).toEqual([]);
});

test('nothing works or changes at import: no mutable variable is at the top of a module', () => {
  const found = readSources()
    .filter(({ path }) => /^(protocol|runtime)\/src\//.test(path) && !isTest(path))
    .flatMap(({ path, text }) =>
      text.split('\n').flatMap((line, index) => (/^(export )?let /.test(line) ? [`${path}:${index + 1}`] : [])),
    );
  expect(found).toEqual([]);
});
