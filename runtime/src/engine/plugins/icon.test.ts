import { expect, test } from 'vitest';
import { iconProblem, largestIcon } from './icon.ts';

const svg = (inside: string) => `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16">${inside}</svg>`;

test.each([
  ['shapes', svg('<path d="M2 2h12v12H2z"/><g><circle cx="8" cy="8" r="4"/></g>')],
  ['a declaration and a comment', `\uFEFF<?xml version="1.0"?>\n<!-- <script> -->${svg('<title>Places</title>')}`],
  [
    'a gradient',
    svg(
      '<defs><linearGradient id="a"><stop offset="0"/></linearGradient></defs><rect fill="url(#a)" width="9" height="9"/>',
    ),
  ],
])('an icon is made of plain shapes: %s', (_, text) => {
  expect(iconProblem(text)).toBeUndefined();
});

test.each([
  ['a script', svg('<script>alert(1)</script>'), 'it holds <script>'],
  ['a script in another spelling', svg('<svg:script/>'), 'it holds <svg:script>'],
  ['HTML', svg('<foreignObject><p/></foreignObject>'), 'it holds <foreignObject>'],
  ['another picture', svg('<image href="http://127.0.0.1/x"/>'), 'it holds <image>'],
  ['parts that multiply', svg('<g id="a"/><use href="#a"/><use href="#a"/>'), 'it holds <use>'],
  ['entities', `<!DOCTYPE svg [<!ENTITY a "b">]>${svg('')}`, 'it does not begin with <svg>'],
  ['entities inside', svg('<!DOCTYPE svg>'), 'it holds <!DOCTYPE>'],
  ['an instruction', svg('<?xml-stylesheet href="x"?>'), 'it holds <?xml-stylesheet'],
  ['a style sheet', svg('<style>@import "x"</style>'), 'it holds <style>'],
  ['a page', '<html></html>', 'it does not begin with <svg>'],
  ['nothing', '', 'it does not begin with <svg>'],
  ['too much', svg(`<path d="${'M0 0'.repeat(largestIcon / 4)}"/>`), 'it is larger than 32 KiB'],
])('S-84: %s is not an icon', (_, text, says) => {
  expect(iconProblem(text)).toContain(says);
});
