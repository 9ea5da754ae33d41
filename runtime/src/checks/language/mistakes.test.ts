// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are HCL, which has such templates of its own
import { LanguageService } from '@svc/protocol/language';
import { expect, test } from 'vitest';
import { supportOfTexts } from './testing/editor.ts';

const api = 'connector "api" {\n  type = "rest"\n  port = 8080\n}\n';

/** The connector with something else in place of its type. */
const a = (item: string) => api.replace('type = "rest"', item);

/** A service with a flow whose transform has a value. */
const flow = (value: string) => `${api}connector "db" {
  type     = "database"
  driver   = "sqlite"
  database = "a.db"
}
flow "get" {
  from {
    connector = "api"
    operation = "GET /x"
  }
  transform {
    name = ${value}
  }
  to {
    connector = "db"
    target    = "x"
  }
}
`;

/** The same with a statement. */
const query = (value: string) => flow('"input.a"').replace('target    = "x"', `query = ${value}`);

/** What people write by mistake, with the one message it deserves: where, which code, what is marked, what is said. */
const mistakes: readonly (readonly [title: string, text: string, problem: string])[] = [
  ['single quotes', a("type = 'rest'"), "2:10 syntax-quotation-marks «'rest'» Text is written in double quotes"],
  ['a colon', a('type: "rest"'), '2:7 syntax-assignment «:» An attribute is written with "=", not with ":"'],
  [
    'a colon and an equals sign',
    a('type := "rest"'),
    '2:8 syntax-assignment «:=» An attribute is written with "=", not with ":="',
  ],
  [
    'two equals signs',
    a('type == "rest"'),
    '2:8 syntax-assignment «==» An attribute is written with "=", not with "=="',
  ],
  ['an arrow', a('type => "rest"'), '2:8 syntax-assignment «=>» An attribute is written with "=", not with "=>"'],
  [
    'typographic quotation marks',
    a('type = “rest”'),
    '2:10 syntax-quotation-marks «“rest”» Text is written in double quotes',
  ],
  ['backticks', a('type = `rest`'), '2:10 syntax-quotation-marks «`rest`» Text is written in double quotes'],
  [
    'a no-break space',
    a('type =\u00a0"rest"'),
    '2:9 syntax-invisible-character « » A no-break space (U+00A0) is written here, which is not white space in HCL',
  ],
  [
    'no-break spaces of a copied page',
    a('\u00a0\u00a0type\u00a0= "rest"'),
    '2:3 syntax-invisible-character « » A no-break space (U+00A0) is written here, which is not white space in HCL',
  ],
  [
    'a zero-width space at the start',
    `\u200b${api}`,
    '1:1 syntax-invisible-character «​» A zero-width space (U+200B) is written here, which is not white space in HCL',
  ],
  [
    'a name in quotes',
    a('"type" = "rest"'),
    '2:3 syntax-name-expected «"type"» The name of an attribute is written without quotes',
  ],
  [
    'a member of JSON',
    a('"type": "rest",'),
    '2:3 syntax-name-expected «"type"» The name of an attribute is written without quotes',
  ],
  ['JSON', '{\n  "connector": { "api": { "type": "rest" } }\n}\n', '1:1 syntax-json «{» This is JSON, and must be HCL'],
  ['a comma at the end', a('type = "rest",'), '2:16 syntax-missing-newline «,» No "," follows an attribute'],
  ['a semicolon at the end', a('type = "rest";'), '2:16 syntax-missing-newline «;» No ";" follows an attribute'],
  [
    'no equals sign',
    a('type "rest"'),
    '2:3 syntax-missing-brace «type "rest"» "=" is missing before this text, or "{" behind it',
  ],
  ['no value', a('type ='), '2:9 syntax-missing-value «» A value is missing here'],
  [
    'a name alone',
    a('type'),
    '2:3 syntax-name-alone «type» "type" is followed by the end of the line, not by a value or a block',
  ],
  ['a value on the next line', a('type =\n    "rest"'), '2:9 syntax-missing-value «» The value is on the next line'],
  ['a word in front', a('let type = "rest"'), '2:3 syntax-missing-brace «let type» An attribute has one name'],
  ['a text that is not closed', a('type = "rest'), '2:10 syntax-unclosed-string «"rest» This text is never closed'],
  [
    'a text that is not opened',
    a('type = rest"'),
    '2:3 syntax-unclosed-string «type = rest"» This text is never opened',
  ],
  [
    'an item twice',
    a('type = "rest"\n  type = "rest"'),
    '3:3 syntax-duplicate-attribute «type» The attribute "type" is set twice',
  ],
  [
    'two items on one line',
    a('type = "rest" host = "a"'),
    '2:10 syntax-nested-quotes «"rest" host = "a"» A double quote within this text ends it',
  ],
  [
    'the brace on the next line',
    api.replace(' {', '\n{'),
    '1:1 syntax-missing-brace «connector "api"» The "{" of a block belongs at the end of its first line',
  ],
  ['no brace', api.replace(' {', ''), '1:1 syntax-missing-brace «connector "api"» The block "connector" is not opened'],
  [
    'a block without content',
    'connector "api"\n',
    '1:1 syntax-missing-brace «connector "api"» "=" is missing before this text, or "{" behind it',
  ],
  [
    'an equals sign in the head',
    api.replace(' {', ' = {'),
    '1:17 syntax-block-head «=» The head of a block has no "="',
  ],
  ['a colon in the head', api.replace(' {', ': {'), '1:16 syntax-block-head «:» The head of a block has no ":"'],
  [
    'single quotes in the head',
    api.replace('"api"', "'api'"),
    "1:11 syntax-quotation-marks «'api'» Text is written in double quotes",
  ],
  [
    'a label that is not closed',
    api.replace('"api"', '"api'),
    '1:11 syntax-unclosed-string «"api {» This text is never closed',
  ],
  [
    'an equals sign behind the type of a block',
    api.replace(' "api"', ' = "api"'),
    '1:11 syntax-block-head «=» The head of a block has no "="',
  ],
  [
    'a block that is not closed',
    api.replace('}\n', ''),
    '1:17 syntax-unclosed-block «{» The block "connector" is never closed',
  ],
  ['a brace too many', `${api}}\n`, '5:1 syntax-stray-brace «}» This "}" closes nothing'],
  [
    'text within text',
    flow('""hi " + input.a"'),
    '16:12 syntax-nested-quotes «""hi " + input.a"» A double quote within this text ends it',
  ],
  [
    'a word in quotes within text',
    flow('"say "hi""'),
    '16:12 syntax-nested-quotes «"say "hi""» A double quote within this text ends it',
  ],
  [
    'a comparison with a text',
    flow('"input.a == "x" ? 1 : 2"'),
    '16:12 syntax-nested-quotes «"input.a == "x" ? 1 : 2"» A double quote within this text ends it',
  ],
  [
    'three quotes',
    flow('"""input.a"""'),
    '16:12 syntax-nested-quotes «"""input.a"""» Three double quotes open no text',
  ],
  [
    'an expression without quotes',
    flow('input.a + " " + input.b and x'),
    '16:36 syntax-missing-newline «and» Expected a line break but found "and"',
  ],
  ['a hole without quotes', flow('${input.a}'), '16:12 syntax-bad-expression «$» "${" is written outside of a text'],
  ['an unknown escape', flow('"\'\\d\'"'), '16:14 syntax-bad-escape «\\d» "\\d" is not an escape sequence'],
  [
    'a text over two lines',
    query('"SELECT 1\n      FROM x"'),
    '20:13 syntax-unclosed-string «"SELECT 1» This text is never closed',
  ],
  [
    'a heredoc that is not closed',
    query('<<SQL\n      SELECT 1'),
    '20:13 syntax-unclosed-heredoc «<<SQL» The text that starts with "<<SQL" is never closed',
  ],
  [
    'a heredoc whose end is followed by something',
    query('<<SQL\n      SELECT 1\n    SQL;'),
    '20:13 syntax-unclosed-heredoc «<<SQL» The text that starts with "<<SQL" is never closed',
  ],
  [
    'a heredoc with a marker in quotes',
    query('<<"SQL"\n      SELECT 1\n    SQL'),
    '20:13 syntax-heredoc-start «<<"SQL"» A text over several lines starts with "<<", a marker, and a line break',
  ],
  [
    'a comment of SQL',
    a('-- type of the connector\n  type = "rest"'),
    '2:3 syntax-name-expected «--» "--" begins neither a name nor a comment',
  ],
  [
    'a comment that is not closed',
    a('type = "rest" /* of HTTP'),
    '2:17 syntax-unclosed-comment «/*» This comment is never closed',
  ],
  [
    'a conflict',
    `<<<<<<< HEAD\n${api}=======\n${api.replace('8080', '9090')}>>>>>>> other\n`,
    '1:1 syntax-conflict-marker «<<<<<<<» This is a marker of a merge conflict',
  ],
  [
    'a conflict in a block',
    a('type = "rest"\n<<<<<<< HEAD\n  host = "a"\n=======\n  host = "b"\n>>>>>>> other'),
    '3:1 syntax-conflict-marker «<<<<<<<» This is a marker of a merge conflict',
  ],
  [
    'the rest of a conflict',
    `${api}=======\n`,
    '5:1 syntax-conflict-marker «=======» This is a marker of a merge conflict',
  ],
  [
    'a list without commas',
    a('type = "rest"\n  tags = ["a" "b"]'),
    '3:15 syntax-missing-separator «"» Expected "," or "]" but found """',
  ],
  [
    'a list that is not closed',
    a('type = "rest"\n  tags = ["a", "b"'),
    '3:19 syntax-missing-separator «» Expected "," or "]" but found the end of the line',
  ],
];

test.each(mistakes)('%s', (_, text, problem) => {
  const service = new LanguageService(supportOfTexts());
  service.provide('a.hcl', text);
  const reported = service.diagnostics().map(({ code, severity, message, range }) => {
    const { line, column } = service.lines('a.hcl').position(range.start);
    return `${severity} ${line}:${column} ${code} «${text.slice(range.start, range.end)}» ${message}`;
  });
  expect(reported).toEqual([`error ${problem}`]);
});

test('the one for double quotes within a text says what to write', () => {
  const service = new LanguageService(supportOfTexts());
  service.provide('a.hcl', flow('""hi " + input.a"'));
  expect(service.diagnostics().map(({ help }) => help)).toEqual([
    `Write single quotes inside of the double ones: "'hi ' + input.a"`,
  ]);
});

test('errors of blocks that can be read are reported beside a mistake of the syntax, advice is not', () => {
  const service = new LanguageService(supportOfTexts());
  service.provide('a.hcl', a('type = rest"'));
  service.provide(
    'b.hcl',
    'connector "db" {\n  type = "nosuch"\n}\nflow "f" {\n  from {\n    connector = "nope"\n  }\n}\n',
  );
  expect(service.diagnostics().map(({ file, code }) => `${file} ${code}`)).toEqual([
    'a.hcl syntax-unclosed-string',
    'b.hcl unknown-type',
  ]);
});
