import { describe, expect, test } from 'vitest';
import { Failure } from '../../../../foundation/errors/failure.ts';
import { type Call, serve } from '../../../plan/testing/service.ts';

const configuration = `state_machine "ticket" {
  initial = "open"
  state "open" {
    on "assign" {
      transition_to = "assigned"
      guard         = "input.agent != ''"
      action {
        connector = "peer"
        operation = "POST /mails"
        body      = { to = "input.agent" }
      }
    }
    on "close" { transition_to = "closed" }
  }
  state "assigned" {
    on "close" { transition_to = "closed" }
  }
  state "closed" { final = true }
}
flow "move" {
  from {
    connector = "api"
    operation = "POST /tickets/:id/events"
  }
  state_transition {
    machine   = "ticket"
    entity    = "tickets"
    id        = "input.id"
    event     = "input.event"
    connector = "db"
  }
}
flow "answer" {
  from {
    connector = "api"
    operation = "POST /tickets/:id/answers"
  }
  state_transition {
    machine = "ticket"
    entity  = "tickets"
    id      = "input.id"
    event   = "'assign'"
    data    = "input.ticket"
  }
  to { connector = "db" }
  response { now = "output.current_state" }
}`;

/** One ticket in a state; `null` is an empty column, undefined no ticket. Another writer may be faster. */
function tickets(status: string | null | undefined, faster = false, mail: () => unknown = () => ({ sent: true })) {
  const state = { status };
  const answer = ({ connector, description, filters, payload }: Call) => {
    if (connector === 'peer') return { value: mail() };
    if (description.verb === 'read')
      return { rows: state.status === undefined ? [] : [{ id: 1, status: state.status }] };
    if (faster || (filters?.['status'] ?? null) !== state.status) return { affected: 0 };
    state.status = String(payload?.['status']);
    return { affected: 1 };
  };
  return { state, answer };
}

const move = async (ticket: ReturnType<typeof tickets>, input: object, flow = 'move') => {
  const service = await serve(configuration, { answer: ticket.answer });
  const outcome = await service.deliver(flow, { id: '1', ...input });
  return { outcome, calls: service.calls };
};

describe('an event', () => {
  test('moves the entity: guard, action, write', async () => {
    const ticket = tickets('open');
    const { outcome, calls } = await move(ticket, { event: 'assign', agent: 'ann' });
    expect(outcome).toMatchObject({
      kind: 'reply',
      value: {
        entity_id: '1',
        machine: 'ticket',
        previous_state: 'open',
        current_state: 'assigned',
        event: 'assign',
        action_result: { sent: true },
      },
    });
    expect(ticket.state.status).toBe('assigned');
    expect(
      calls.map(({ connector, description: { verb, target }, filters, payload }) => [
        connector,
        verb,
        target,
        filters,
        payload,
      ]),
    ).toEqual([
      ['db', 'read', 'tickets', { id: '1' }, undefined],
      ['peer', 'call', undefined, undefined, { to: 'ann' }],
      ['db', 'update', 'tickets', { id: '1', status: 'open' }, { status: 'assigned' }],
    ]);
  });

  test('of an entity without a state begins in the initial one', async () => {
    for (const empty of [null, '']) {
      const ticket = tickets(empty);
      const { outcome } = await move(ticket, { event: 'close' });
      expect(outcome).toMatchObject({ value: { previous_state: 'open', current_state: 'closed' } });
      expect(outcome).not.toHaveProperty('value.action_result');
    }
  });

  test('reads its data, finds its connector in to, and answers through response', async () => {
    const { outcome } = await move(tickets('open'), { ticket: { agent: 'bob' } }, 'answer');
    expect(outcome).toMatchObject({ value: { now: 'assigned' } });
  });

  test.each([
    ['there is no entity', undefined, 'close', 'not_found', 'there is no such entity in "tickets"'],
    [
      'the state is final',
      'closed',
      'close',
      'transition_refused',
      'state_machine "ticket": the state "closed" is final',
    ],
    [
      'the state has no such event',
      'open',
      'fold',
      'transition_refused',
      'state_machine "ticket": the state "open" has no event "fold"; it has "assign", "close"',
    ],
    [
      'the guard is false',
      'open',
      'assign',
      'transition_refused',
      'state_machine "ticket": the guard of "assign" does not let it leave "open"',
    ],
    [
      'the column holds something else',
      'lost',
      'close',
      'flow_failed',
      'state_machine "ticket" has no state "lost", which the entity is in',
    ],
  ])('is refused when %s', async (_title, status, event, code, message) => {
    const ticket = tickets(status);
    await expect(move(ticket, { event, agent: '' })).rejects.toMatchObject({ code, message });
    expect(ticket.state.status).toBe(status);
  });

  test('data whose path is absent is the whole message', async () => {
    const { outcome, calls } = await move(tickets('open'), { agent: 'eve' }, 'answer');
    expect(outcome).toMatchObject({ value: { now: 'assigned' } });
    expect(calls.find(({ connector }) => connector === 'peer')?.payload).toEqual({ to: 'eve' });
  });

  test('a lost race is reported, and may be retried', async () => {
    await expect(move(tickets('open', true), { event: 'close' })).rejects.toMatchObject({
      code: 'transition_refused',
      retriable: true,
      message: 'state_machine "ticket": the entity left "open" meanwhile',
    });
  });

  test('S-96: a guard that cannot be evaluated refuses, and a failing action leaves the state unchanged', async () => {
    const undecided = tickets('open');
    await expect(move(undecided, { event: 'assign' })).rejects.toMatchObject({ code: 'expression_failed' });
    const failing = tickets('open', false, () => {
      throw new Failure('connector_refused', 'no response');
    });
    await expect(move(failing, { event: 'assign', agent: 'ann' })).rejects.toMatchObject({ code: 'connector_refused' });
    expect([undecided.state.status, failing.state.status]).toEqual(['open', 'open']);
  });
});
