import { describe, expect, test } from 'vitest';
import { readResponses } from './responses.ts';

const response = {
  when: undefined,
  isDefault: false,
  data: undefined,
  affected: undefined,
  error: undefined,
  status: undefined,
  delay: 0,
};

describe('recordings', () => {
  test.each([
    ['{"data": [{"id": 1}], "affected": 2}', [{ ...response, data: [{ id: 1 }], affected: 2 }]],
    [
      '{"responses": [{"when": "input.id == 1", "data": 1, "delay": "50ms"}, {"default": true, "error": "gone", "status": 404}]}',
      [
        { ...response, when: 'input.id == 1', data: 1, delay: 50 },
        { ...response, isDefault: true, error: 'gone', status: 404 },
      ],
    ],
    ['{}', [response]],
  ])('%s', (text, responses) => {
    expect(readResponses(text)).toEqual({ responses, problems: [] });
  });

  test.each([
    ['[1]', 'a recording is an object: {"data": …} or {"responses": [ … ]}', 0],
    ['{"data": 1', 'the recording is not valid JSON', 0],
    ['{"dta": 1}', 'a response has no "dta"; did you mean "data"?', 1],
    ['{"responses": {}}', 'responses is a list', 1],
    ['{"responses": [1]}', 'response 1 is not an object', 1],
    ['{"responses": [], "data": 1}', 'data is written beside responses: write it into one', 18],
    ['{"affected": -1}', 'affected is a whole number from 0', 1],
    ['{"status": "no"}', 'status is a status from 100 to 599', 1],
    ['{"delay": "soon"}', 'delay is a duration such as "50ms"', 1],
    ['{"responses": [{"default": "yes"}]}', 'default is true or false', 16],
    ['{"when": "true"}', 'a response has no "when": it takes data, affected, error, status, delay', 1],
  ])('%s is refused', (text, message, at) => {
    const [problem] = readResponses(text).problems;
    expect(problem?.message).toContain(message);
    if (!message.includes('valid JSON')) expect(problem?.at).toBe(at);
  });
});
