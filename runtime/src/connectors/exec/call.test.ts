import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { connectorServices, recordingLog } from '../../../../test/support/connector-services.ts';
import { folderWith } from '../../../../test/support/folder.ts';
import { until } from '../../../../test/support/until.ts';
import { Content, ContentOwner } from '../../foundation/contracts/content.ts';
import { brackets, failureOf, openConnector, output, prepared, run } from './testing/bed.ts';

const nowhere = { file: 'test.hcl', range: { start: 0, end: 0 } };
const constant = (value: unknown) => ({ kind: 'constant', value, origin: nowhere }) as const;
const expression = { kind: 'cel', source: 'input.x', origin: nowhere, escaped: false, reads: [] } as const;
const written = (...items: (typeof expression | ReturnType<typeof constant>)[]) => ({
  args: { kind: 'list', items, origin: nowhere } as const,
});

/** Bytes that come piece by piece. */
function contentOf(...pieces: readonly (Buffer | Error | (() => Promise<unknown>))[]): Content {
  const bytes = {
    size: undefined,
    once: true,
    inMemory: undefined,
    stream: () =>
      Readable.from(
        (async function* () {
          for (const piece of pieces) {
            if (piece instanceof Error) throw piece;
            if (typeof piece === 'function') await piece();
            else yield piece;
          }
        })(),
        { objectMode: false },
      ),
    read: () => Buffer.alloc(0),
  };
  return new Content(bytes, { filename: 'a', contentType: '' }, new Uint8Array());
}

describe('arguments', () => {
  test('come in the order: block, operation, target, call, fields', async () => {
    const call = {
      operation: 'sub',
      target: 'object',
      written: written(constant('-x'), expression),
      fields: ['b', 'a'],
    };
    const request = { params: { b: 2, a: 'x y', c: 'undeclared' }, words: { args: ['-x', 7n] } };
    expect(await output({ ...brackets, input_format: 'args' }, request, call)).toBe(
      '[sub][object][-x][7][--a=x y][--b=2]',
    );
  });

  test('the operation of a destination is only its name; that of a step is an argument, when it is not empty', async () => {
    const asked = async (call: object) => output(brackets, {}, call);
    expect([await asked({ operation: '' }), await asked({ operation: 'go' })]).toEqual(['[]', '[go]']);
    const { rows } = await run({ ...brackets, output_format: 'text' }, {}, { verb: 'create', operation: 'execute' });
    expect(rows).toEqual([{ output: '[]' }]);
  });

  test('S-51: nothing of a value is read by a shell, in no spelling', async () => {
    const hostile = ["a'b", '$(id)', '`id`', 'a;id', 'a\nid', '"', '\\', '*', '~', '&& id', '', ' ', 'ä€😀', '%s'];
    const args = { words: { args: ['--', ...hostile] } };
    const call = { written: written(constant('--'), ...hostile.map(() => expression)) };
    const expected = ['--', ...hostile].map((text) => `[${text}]`).join('');
    expect(await output(brackets, args, call)).toBe(expected);
    expect(await output({ command: "printf '[%s]'", shell: 'sh -c' }, args, call)).toBe(expected);
  });

  test('S-51: a value that begins with - is refused, unless -- is before it; constants are not', async () => {
    const args = { words: { args: ['-rf'] } };
    const given = { written: written(expression) };
    const refused = await failureOf(output(brackets, args, given));
    expect([refused.code, refused.message]).toEqual([
      'value_refused',
      'the argument "args[0]" begins with "-", which the command could read as an option: write "--" before it in `args`',
    ]);
    expect((await failureOf(output(brackets, { target: '-' }, {}))).code).toBe('value_refused');
    expect(await output({ ...brackets, args: ['[%s]', '--'] }, args, given)).toBe('[--][-rf]');
    expect(await output(brackets, args, { written: written(constant('-rf')) })).toBe('[-rf]');
    expect(await output(brackets, {}, { target: '-rf' })).toBe('[-rf]');
    // A text that takes a field of the message is not a constant.
    expect((await failureOf(output(brackets, args, { written: written(constant(':x')) }))).code).toBe('value_refused');
    // Without the list itself written, all of it comes from the message.
    expect((await failureOf(output(brackets, args, { written: { args: expression } }))).code).toBe('value_refused');
  });

  test('S-51: NUL, half a character and files are refused', async () => {
    const given = (value: unknown) => failureOf(output(brackets, { words: { args: [value] } }));
    const values = ['a\0b', '\ud800', Buffer.from('a'), contentOf()];
    const failures = await Promise.all(values.map(given));
    expect(failures.map(({ code, message }) => [code, message.replace(/^the argument "args\[0\]" /, '')])).toEqual([
      ['value_refused', 'holds NUL, which no argument can'],
      ['value_refused', 'is not well-formed Unicode'],
      ['value_refused', 'is a file, which no argument can be: give it to the program with `stdin`'],
      ['value_refused', 'is a file, which no argument can be: give it to the program with `stdin`'],
    ]);
  });

  test('lists are several, null is left out, structures are JSON', async () => {
    const words = { args: [['a', ['b', 1]], null, true, 2.5, { k: [1n] }] };
    expect(await output(brackets, { words })).toBe('[a][b][1][true][2.5][{"k":[1]}]');
    const params = { n: null, l: ['x', '-y'], o: { k: 1 }, d: '-z' };
    expect(await output({ ...brackets, input_format: 'args' }, { params }, { fields: Object.keys(params) })).toBe(
      '[--d=-z][--l=x][--l=-y][--o={"k":1}]',
    );
  });

  test('S-51: of the fields only those that the configuration names are arguments; where it names none, the log says so', async () => {
    const log = recordingLog();
    const services = connectorServices({ log, directory: folderWith() });
    const connector = await openConnector({ ...brackets, input_format: 'args', output_format: 'text' }, services);
    const call = { verb: 'create', fields: [], label: 'to "tools"' } as const;
    const { rows } = await prepared(connector, call)({ payload: { upload_pack: 'id' } });
    expect(rows).toEqual([{ output: '[]' }]);
    expect(log.lines.map(({ message, fields }) => [message, fields['place']])).toEqual([
      ['no field becomes an argument of the program, since the configuration names none', 'to "tools"'],
    ]);
    const declared = prepared(connector, { ...call, fields: undefined, parameters: ['size'] });
    expect((await declared({ payload: { size: 3, other: 1 } })).rows).toEqual([{ output: '[--size=3]' }]);
  });

  test('more than the system takes are refused', async () => {
    const { code } = await failureOf(output(brackets, { words: { args: ['x'.repeat(4_000_000)] } }));
    expect(code).toBe('value_refused');
  });
});

describe('standard input', () => {
  const cat = { command: 'cat' } as const;

  test('is the fields as JSON; without any, it is empty', async () => {
    const request = {
      address: { a: 0, id: 1 },
      filters: { a: 1 },
      params: { b: 2 },
      payload: { c: 'ä\n', big: 2n ** 60n },
    };
    const text = '{"a":1,"id":1,"b":2,"c":"ä\\n","big":"1152921504606846976"}';
    expect(await output(cat, request)).toBe(text);
    expect(await output({ ...cat, input_format: 'stdin' }, request)).toBe(text);
    expect(await output({ ...cat, input_format: 'args' }, request)).toBeUndefined();
    expect(await output(cat, {})).toBeUndefined();
    expect(await output(cat, { params: [1] })).toBeUndefined();
  });

  test('is what `stdin` gives: texts, bytes and files as they are, else JSON', async () => {
    const call = { written: { stdin: expression } };
    const given = async (stdin: unknown) => output(cat, { words: { stdin }, params: { not: 'this' } }, call);
    expect(await Promise.all(['a\0b\n', Buffer.from('bytes'), [1n, 'x'], null].map(given))).toEqual([
      'a\0b\n',
      'bytes',
      '[1,"x"]',
      undefined,
    ]);
    expect(await given(contentOf(Buffer.from('one '), Buffer.from('two')))).toBe('one two');
  });

  test('is the bytes of `_binary` where the configuration names that field', async () => {
    const payload = { _binary: Buffer.from('raw').toString('base64') };
    expect(await output(cat, { payload }, { binary: true })).toBe('raw');
  });

  test('A-04: a program that does not read it is not a failure, however much there is', async () => {
    const much = contentOf(...Array.from({ length: 200 }, () => Buffer.alloc(65_536)));
    const ignoring = { command: 'sh', args: ['-c', 'exec <&-; echo done'] };
    expect(await output(ignoring, { words: { stdin: much } }, { written: { stdin: expression } })).toBe('done\n');
  });

  test('whose source fails ends the program, which never sees its end', async () => {
    const folder = folderWith();
    const copy = join(folder, 'copy');
    const isThere = () => existsSync(copy) && readFileSync(copy, 'utf8') === 'half';
    const broken = contentOf(Buffer.from('half'), () => until(isThere), new Error('the upload broke'));
    const script = `trap '' TERM; cat > ${copy}; touch ${folder}/complete`;
    const connector = await openConnector({ command: script, shell: 'true' });
    const execute = prepared(connector, { written: { stdin: expression } });
    const failure = await failureOf(Promise.resolve(execute({ words: { stdin: broken } })));
    expect(failure.message).toBe('the upload broke');
    await connector.close();
    expect(readdirSync(folder)).toEqual(['copy']);
  });
});

describe('standard output', () => {
  const printed = async (text: string, format: string, call = {}) =>
    run({ command: 'printf', args: ['%s', text], output_format: format }, {}, call);

  test.each([
    ['[{"a":1},{"a":2}]', [{ a: 1 }, { a: 2 }]],
    ['{"a":{"b":[1]}}', { a: { b: [1] } }],
    ['[]', []],
    ['[1,2]', { value: [1, 2] }],
    ['[{"a":1},2]', { value: [{ a: 1 }, 2] }],
    ['"x"', { value: 'x' }],
    ['null', { value: null }],
    ['plain text\n', { output: 'plain text\n' }],
    ['{"a":', { output: '{"a":' }],
    ['{"__proto__":{"x":1}}', expect.anything()],
    ['', []],
  ])('as JSON: %s', async (text, value) => {
    expect(await printed(text, 'json')).toEqual({ value });
    expect(({} as { readonly x?: unknown }).x).toBeUndefined();
  });

  test('as text, untrimmed, and as lines with their numbers', async () => {
    expect(await printed(' a\n\n', 'text')).toEqual({ value: { output: ' a\n\n' } });
    expect(await printed('a\n\nb\r\n', 'lines')).toEqual({
      value: [
        { line: 1, value: 'a' },
        { line: 3, value: 'b' },
      ],
    });
    expect(await printed('a', 'lines', { exact: true })).toEqual({ value: { line: 1n, value: 'a' } });
  });

  test('gives rows to a read, and rows with one affected to a write', async () => {
    expect(await printed('{"a":1}', 'json', { verb: 'read' })).toEqual({ rows: [{ a: 1 }] });
    expect(await printed('{"a":1}', 'json', { verb: 'update' })).toEqual({ rows: [{ a: 1 }], affected: 1 });
  });

  test('A-06: decodes within the budget of answers, and must be UTF-8', async () => {
    const deep = `head -c 300000 /dev/zero | tr '\\0' '['`;
    const rows = `yes 1 | head -n 2200000`;
    const failures = [
      await failureOf(
        run({
          command: `(printf '['; ${rows.replace('yes 1', 'yes 1,')}; printf '1]')`,
          shell: 'true',
          max_output: 2e8,
        }),
      ),
      await failureOf(run({ command: rows, shell: 'true', output_format: 'lines' })),
      await failureOf(run({ command: `printf 'a\\377'`, shell: 'true', output_format: 'text' })),
    ];
    expect(failures.map(({ code, message, retriable }) => [code, message, retriable])).toEqual([
      ['connector_failed', 'the output of the command cannot be used: the body holds more than 2000000 values', false],
      ['connector_failed', 'the output of the command cannot be used: it has more than 1000000 lines', false],
      [
        'connector_failed',
        'the output of the command cannot be used: the body is not valid UTF-8: the byte FF at position 1; output_format = "binary" takes any bytes',
        false,
      ],
    ]);
    // What is nested too deeply is not JSON of an answer, and is text.
    const { value } = await run({ command: deep, shell: 'true' });
    expect((value as { readonly output: string }).output.length).toBe(300_000);
  });

  test('A-06: a program that writes without end is ended at max_output', async () => {
    const failure = await failureOf(run({ command: 'yes', output_format: 'text', max_output: 100_000 }));
    expect([failure.code, failure.message, failure.retriable]).toEqual([
      'connector_failed',
      'the command wrote more than 100000 bytes (max_output)',
      false,
    ]);
  });

  test('as a file, which is kept until its message has ended', async () => {
    const contents = new ContentOwner();
    const request = { contents, payload: { _binary: Buffer.from([0, 255, 1]).toString('base64') } };
    const { value } = await run({ command: 'cat', output_format: 'binary', content_type: 'image/png' }, request, {
      binary: true,
    });
    expect(value).toBeInstanceOf(Content);
    const file = value as Content;
    expect([file.content_type, file.size, file.bytes.read()]).toEqual(['image/png', 3n, Buffer.from([0, 255, 1])]);
    const large = await run(
      { command: 'head', args: ['-c', '100000', '/dev/zero'], output_format: 'binary' },
      { contents },
    );
    expect((large.value as Content).bytes.read().length).toBe(100_000);
    contents.release();
    expect(() => (large.value as Content).bytes.read()).toThrow('the content is gone');
    expect(await run({ command: 'true', output_format: 'binary' })).toEqual({ value: null });
  });
});

test('a named operation has a command, arguments and formats of its own', async () => {
  const named = {
    command: 'sort',
    args: ['-r'],
    input_format: undefined,
    output_format: 'lines',
    content_type: undefined,
  };
  const call = { named, operation: 'sort', written: { stdin: expression }, exact: false };
  const { value } = await run({ command: 'cat', args: ['nothing'] }, { words: { stdin: 'a\nb\n' } }, call);
  expect(value).toEqual([
    { line: 1, value: 'b' },
    { line: 2, value: 'a' },
  ]);
});
