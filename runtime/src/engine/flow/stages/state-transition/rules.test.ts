import { describe, expect, test } from 'vitest';
import { problemsOf } from '../../../../checks/rules/testing/problems.ts';

const surroundings = `
connector "api" {
  type = "rest"
  port = 3000
}
connector "db" {
  type     = "database"
  driver   = "sqlite"
  database = "x.db"
}
flow "move" {
  from {
    connector = "api"
    operation = "POST /tickets/:id"
  }
  state_transition {
    machine   = "ticket"
    entity    = "tickets"
    id        = "input.id"
    event     = "input.event"
    connector = "db"
  }
}
`;

const machine = (states: string, initial = 'open') =>
  problemsOf(`${surroundings}
state_machine "ticket" {
  initial = "${initial}"
  ${states}
}
`);

const open = 'state "open" {\n    on "close" { transition_to = "closed" }\n  }\n';
const closed = 'state "closed" { final = true }\n';

describe('a state machine', () => {
  test('has states that lead to each other', () => {
    expect(machine(open + closed)).toEqual([]);
  });

  test.each([
    ['an initial state that does not exist', machine(open + closed, 'opne'), ['unknown-state «"opne"»']],
    ['an event that leads to no state', machine(open), ['unknown-state «"closed"»']],
    ['a state twice', machine(open + closed + closed), ['duplicate-name «"closed"»']],
    [
      'a way out of a final state',
      machine(`${open}state "closed" {\n final = true\n on "open" { transition_to = "open" }\n }`),
      ['final-state «on»'],
    ],
    [
      'a state that nothing leads to',
      machine(`${open + closed}state "lost" { final = true }`),
      ['info unreachable-state «state»'],
    ],
  ])('is refused with %s', (_title, problems, expected) => {
    expect(problems.map((each) => each.replace(/\s+/g, ' '))).toEqual(expected);
  });

  test('a transition names the place of its entity, and a machine', () => {
    expect(problemsOf(surroundings)).toEqual(['unknown-state-machine «"ticket"»']);
    expect(
      problemsOf(`${surroundings.replace('    connector = "db"\n  }\n}', '  }\n}')}
state_machine "ticket" {
  initial = "open"
  ${open + closed}
}`)
        .filter((each) => !each.startsWith('info'))
        .map((each) => each.split(' ')[0]),
    ).toEqual(['missing-attribute']);
  });
});
