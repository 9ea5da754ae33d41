import { describe, expect, test } from 'vitest';
import { outlineOf, shop } from '../testing.ts';
import { titleOfStage } from './places.ts';
import { cardWidthOf, laneWidthsOf } from './sizes.ts';
import { titleInLane } from './titles.ts';

function titles(text: string, id: string): readonly string[] {
  const flow = outlineOf(text).flows.find((one) => one.id === id)!;
  return flow.stages.map((stage) => `${stage.family}: ${Object.values(titleInLane(stage, flow)).join(', ')}`);
}

const checked = shop.replace('  step "stock" {', '  validate {\n    input = "type.order"\n  }\n  step "stock" {');

const rental = `connector "api" {
  type = "rest"
  port = 3000
}
connector "vans" {
  type     = "database"
  driver   = "sqlite"
  database = "a.db"
}
saga "rent" {
  from {
    connector = "api"
    operation = "POST /rentals"
  }
  step "hold" {
    action {
      connector = "vans"
      operation = "INSERT"
      target    = "holds"
      data      = { id = "input.id" }
    }
    compensate {
      connector = "vans"
      operation = "DELETE"
      target    = "holds"
      where     = { id = "input.id" }
    }
  }
  on_failure {
    connector = "vans"
    operation = "INSERT"
    target    = "events"
    data      = { text = "error.message" }
  }
}
`;

describe('titles of stages', () => {
  test('are the words of the text, and steps have their names', () => {
    expect(titles(checked, 'flow create_order')).toEqual([
      'gate: from, api',
      'gate: validate, type.order',
      'gather: stock, db',
      'shape: transform, ',
      'deliver: to db, db',
    ]);
  });

  test('actions and compensations of a saga have the names of their steps', () => {
    expect(titles(rental, 'saga rent')).toEqual([
      'gate: from, api',
      'gather: hold, vans',
      'deliver: hold, compensate',
      'deliver: on_failure, vans',
    ]);
    expect(outlineOf(rental).flows[0]!.stages.map(titleOfStage)).toEqual([
      'from',
      'action hold',
      'compensate hold',
      'on_failure',
    ]);
  });
});

test('rules have a lane of 200 pixels and more, and a lane without stages is only a head', () => {
  const [order, list] = outlineOf(shop).flows;
  expect(laneWidthsOf(order!)).toEqual([100, 124, 216, 132]);
  expect(laneWidthsOf(list!)).toEqual([100, 104, 104, 132]);
  expect(cardWidthOf(list!)).toBe(440);
});
