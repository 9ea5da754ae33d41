import { EditRefused, type NewStage } from '@svc/protocol/language';
import { applyEdits } from '@svc/protocol/text';
import { expect, test } from 'vitest';
import { Editor } from './testing/editor.ts';

const flow = `flow "create_order" {<|>
  from {
    connector = "api"
    operation = "POST /orders"
  }

  # prices of today
  step "prices" {
    connector = "db"
    query     = "SELECT 1"
  } # kept

  step "stock" {
    connector = "db"
    query     = "SELECT 2"
  }

  to {
    connector = "db"
    target    = "orders"
  }
}
`;

/** The text after a stage was inserted at the cursor, with what is selected in brackets. */
function inserted(text: string, stage: NewStage): string {
  const { service, path, offset } = new Editor(text);
  const { edits, select } = service.insertStage(path, offset, stage);
  const after = applyEdits(service.text(path) ?? '', edits);
  return `${after.slice(0, select.start)}[${after.slice(select.start, select.end)}]${after.slice(select.end)}`;
}

function refusal(text: string, stage: NewStage): string {
  try {
    return `not refused: ${inserted(text, stage)}`;
  } catch (error) {
    if (!(error instanceof EditRefused)) throw error;
    return error.message;
  }
}

const plain = flow.replace('<|>', '');
const behind = (line: string, added: string) => plain.replace(line, `${line}${added}`);

test('a stage is written where a message meets it, and everything else stays', () => {
  expect(inserted(flow, { path: ['transform'] })).toBe(plain.replace('  to {', '  transform {[]\n  }\n\n  to {'));
  expect(inserted(flow, { path: ['lock'] })).toBe(
    behind('"POST /orders"\n  }', `\n\n  lock {\n    key = "['stock:' + input.sku]"\n  }`),
  );
  expect(inserted(flow, { path: ['response'] })).toBe(`${plain.slice(0, -2)}\n  response {[]\n  }\n}\n`);
});

test('a named stage follows the one that it was asked at, else the last of its kind', () => {
  const step = (label: string) => `\n\n  step "${label}" {\n    connector = "[]"\n  }`;
  expect(inserted(flow, { path: ['step'], label: 'tax', behind: plain.indexOf('SELECT 1') })).toBe(
    behind('} # kept', step('tax')),
  );
  expect(inserted(flow, { path: ['step'], label: 'tax' })).toBe(behind('"SELECT 2"\n  }', step('tax')));
});

test('an attribute that is a stage is written into the block that is there, else with its block', () => {
  expect(inserted(flow, { path: ['from', 'filter'] })).toBe(
    behind('"POST /orders"', '\n    filter {\n      condition = "[]"\n    }'),
  );
  const own = inserted(flow, { path: ['validate', 'output'] });
  expect(own).toContain('\n\n  validate {\n    output = "[]"\n  }\n');
});

test('texts on one line, with Windows line ends, and empty flows are written in their manner', () => {
  expect(inserted('flow "f" {<|>}\n', { path: ['transform'] })).toBe('flow "f" {\n  transform {[]\n  }\n}\n');
  expect(inserted('flow "f" {<|>\r\n  from {\r\n    connector = "api"\r\n  }\r\n}\r\n', { path: ['transform'] })).toBe(
    'flow "f" {\r\n  from {\r\n    connector = "api"\r\n  }\r\n  transform {[]\r\n  }\r\n}\r\n',
  );
  expect(inserted('flow "f" {<|>\n  returns = "order"\n}\n', { path: ['transform'] })).toBe(
    'flow "f" {\n  returns = "order"\n  transform {[]\n  }\n}\n',
  );
});

test('what may not be written is refused', () => {
  expect(refusal(flow, { path: ['from'] })).toBe('from is written already');
  expect(refusal(flow, { path: ['step'] })).toBe('step needs a name');
  expect(refusal(flow, { path: ['step'], label: 'a${' })).toBe('step needs a name');
  expect(refusal(flow, { path: ['step'], label: 'stock' })).toBe('there is a step "stock" already');
  expect(refusal(flow, { path: ['transform'], label: 'x' })).toBe('transform has no name');
  expect(refusal(flow, { path: ['constructor'] })).toBe('flow has no block constructor');
  expect(refusal('connector "api" {<|>\n}\n', { path: ['transform'] })).toBe('there is no flow here');
  expect(refusal('flow "f" {<|>\n  from {\n', { path: ['transform'] })).toMatch(/^not refused|finished$/);
});

test('what is offered is what may still be written, in the order of a message, with its documentation', () => {
  const { service, path, offset } = new Editor(flow);
  const choices = service.stageChoices(path, offset);
  const titles = choices.map((choice) => choice.path.join(' '));
  expect(titles).not.toContain('from');
  expect(titles).toEqual(
    expect.arrayContaining(['from filter', 'accept', 'validate output', 'step', 'transform', 'to']),
  );
  expect(titles).not.toContain('transform enrich');
  expect(titles.indexOf('accept')).toBeLessThan(titles.indexOf('step'));
  for (const choice of choices) {
    expect(choice.documentation).not.toBe('');
    const label = choice.label === undefined ? {} : { label: 'own' };
    expect(inserted(flow, { path: choice.path, ...label })).toContain('[');
  }
  expect(service.stageChoices(path, plain.length)).toEqual([]);
});

test('every stage that is offered for a saga can be written too', () => {
  const saga = 'saga "rent" {<|>\n  from {\n    connector = "api"\n  }\n}\n';
  const { service, path, offset } = new Editor(saga);
  const choices = service.stageChoices(path, offset);
  expect(choices.length).toBeGreaterThan(2);
  for (const { path: words, label } of choices)
    expect(inserted(saga, { path: words, ...(label !== undefined && { label: 'own' }) })).toContain(words[0]);
});
