import type { Program } from '../run.ts';

/** Programs one after another; a signal of a loop ends them. */
export function sequence(programs: readonly Program[]): Program {
  const [only] = programs;
  if (programs.length === 1 && only !== undefined) return only;
  const wholes = programs.flatMap((each) => (each.kind === 'whole' ? [each.run] : []));
  if (wholes.length === programs.length)
    return {
      kind: 'whole',
      run: (run) => {
        for (const each of wholes) {
          const signal = each(run);
          if (signal !== undefined) return signal;
        }
        return undefined;
      },
    };
  return {
    kind: 'steps',
    run: function* (run) {
      for (const each of programs) {
        const signal = each.kind === 'whole' ? each.run(run) : yield* each.run(run);
        if (signal !== undefined) return signal;
      }
      return undefined;
    },
  };
}
