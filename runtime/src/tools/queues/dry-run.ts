import { Routes } from '../../connectors/intake/dispatch/routes.ts';
import { flowsOf } from '../../engine/flow/declarations.ts';
import type { PatternGrammar } from '../../foundation/contracts/patterns.ts';
import type { QueuedMessage } from '../../foundation/contracts/queue.ts';
import type { Variables } from '../../service/config/dotenv.ts';
import { loadConfiguration } from '../../service/config/load.ts';
import type { Ending } from '../harness/ending.ts';
import { rehearse } from '../harness/run-test.ts';
import { testEngine } from '../harness/surroundings.ts';
import { type World, Worlds } from '../harness/world.ts';

/** What the flows would do with a message now. */
export interface Foreseen {
  /** Of several flows the one that decides; absent where no flow takes the message. */
  readonly flow?: string;
  /** `unknown`: it depends on what a connector would have answered. */
  readonly end: 'passes' | 'dropped' | 'fails' | 'unknown';
  /** Why it does not pass. */
  readonly reason?: string;
}

/** With this content in the place of its own, where it is to be sent with another one. */
export type DryRun = (message: QueuedMessage, content?: Buffer) => Promise<Foreseen>;

interface Place {
  readonly directory: string;
  readonly environment: Variables;
  readonly workingDirectory: string;
}

/** Runs the flows of a connector for messages, with the text as it is now and with no connector called. */
export async function dryRunOf(connector: string, patterns: PatternGrammar, place: Place): Promise<DryRun> {
  const engine = testEngine();
  const loaded = await loadConfiguration(place.directory, { ...place, tests: false, workers: 1, engine });
  const { project, texts, variables } = loaded;
  const files = [...texts].map(([path, text]) => ({ path, text }));
  const { standard: world } = new Worlds({ ...place, files, engine, project, workers: 1, variables });
  const flows = flowsOf(project).filter(({ values: { from } }) => from?.connector === connector);
  const routes = new Routes(flows, ({ name }) => world.originOfFlow(name).operation, patterns);
  return async (message, content) => {
    try {
      const again = message.again(content);
      const taking = routes.match(again.key) ?? routes.match(again.from);
      if (taking === undefined) return { end: 'fails', reason: `no flow takes the key "${again.key}"` };
      const ends: Foreseen[] = [];
      for (const { name, values } of taking) {
        const { format } = (values.from ?? {}) as { readonly format?: unknown };
        const input = await again.input(typeof format === 'string' ? format : undefined);
        ends.push(await foresee(name, input, world));
      }
      return ends.sort((one, other) => rank(one) - rank(other))[0] as Foreseen;
    } catch (error) {
      return { end: 'fails', reason: error instanceof Error ? error.message : String(error) };
    }
  };
}

async function foresee(flow: string, input: unknown, world: World): Promise<Foreseen> {
  const ending = await rehearse(flow, input, world);
  const asked = ending.calls.find(({ verb, by }) => by === 'standard' && (verb === 'read' || verb === 'call'));
  if (asked !== undefined)
    return { flow, end: 'unknown', reason: `it depends on what connector "${asked.connector}" answers` };
  return { flow, ...endOf(ending) };
}

function endOf({ outcome, failure }: Ending): Omit<Foreseen, 'flow'> {
  if (failure !== undefined) return { end: 'fails', reason: failure.message };
  if (outcome?.kind !== 'drop') return { end: 'passes' };
  return { end: 'dropped', reason: `${outcome.reason}: ${outcome.expression}` };
}

/** A message passes where all of its flows do. */
function rank({ end }: Foreseen): number {
  return ['fails', 'unknown', 'dropped', 'passes'].indexOf(end);
}
