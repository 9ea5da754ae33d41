import type { Comprehension } from '../macros.ts';
import { type Generator, type Names, NotGenerated } from './generator.ts';

/** Writes a loop over a list. Loops over maps, and errors that another element outweighs, are left to the closures. */
export function generateComprehension(generator: Generator, macro: Comprehension, names: Names): string {
  const { name, variables, filter, body } = macro;
  const [variable, second] = variables;
  if (second !== undefined || name === 'sortBy') throw new NotGenerated();
  const range = generator.write(macro.range, names);
  generator.emit(`if (!Array.isArray(${range})) throw bail;`);
  // All rounds at once: where the loop would end sooner and the budget is short, the closures count each round.
  generator.emit(`if ((meter.left -= ${range}.length) < 0) throw bail;`);
  const result = generator.temporary(start(name));
  const at = generator.temporary('0');
  generator.emit(`for (; ${at} < ${range}.length; ${at}++) {`);
  generator.loops++;
  const element = generator.temporary(`${range}[${at}] ?? null`);
  const inner = new Map(names).set(variable, element);
  if (filter) {
    const kept = generator.write(filter, inner);
    generator.emit(`if (typeof ${kept} !== 'boolean') throw bail;`);
    generator.emit(`if (!${kept}) continue;`);
  }
  const value = generator.write(body, inner);
  for (const line of step(name, result, element, value)) generator.emit(line);
  generator.loops--;
  generator.emit('}');
  return name === 'exists_one' ? generator.temporary(`${result} === 1`) : result;
}

function start(name: Comprehension['name']): string {
  switch (name) {
    case 'all':
      return 'true';
    case 'exists':
      return 'false';
    case 'exists_one':
      return '0';
    case 'map':
    case 'filter':
      return '[]';
    default:
      throw new NotGenerated();
  }
}

function step(name: Comprehension['name'], result: string, element: string, value: string): string[] {
  if (name === 'map') return [`${result}.push(${value});`];
  const isBool = `if (typeof ${value} !== 'boolean') throw bail;`;
  switch (name) {
    case 'all':
      return [isBool, `if (!${value}) { ${result} = false; break; }`];
    case 'exists':
      return [isBool, `if (${value}) { ${result} = true; break; }`];
    case 'exists_one':
      return [isBool, `if (${value}) ${result}++;`];
    default:
      return [isBool, `if (${value}) ${result}.push(${element});`];
  }
}
