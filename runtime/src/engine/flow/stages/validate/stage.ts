import type { Part } from '../../message/part.ts';
import { whenDone } from '../../message/when-done.ts';
import type { FlowModel } from '../../model.ts';
import { type Checker, mismatch, problemsIn, problemsOfEach } from './checker.ts';

/** Checks the message against its types. The stage is announced without types too. */
export function validateInput({ inputTypes }: FlowModel): Part[] {
  return [
    {
      stage: 'validate_input',
      name: '',
      title: 'validate',
      step:
        inputTypes.length === 0
          ? undefined
          : ({ input }) =>
              each(inputTypes, (checker) => {
                checker.complete?.(input);
                return whenDone(problemsIn(checker, input), (problems) => {
                  if (problems !== undefined) throw mismatch('input_invalid', 'the message', checker, problems);
                });
              }),
    },
  ];
}

/** Checks the answer: an object, or every element of a list. */
export function validateOutput({ outputTypes }: FlowModel): Part[] {
  return [
    {
      stage: 'validate_output',
      name: '',
      title: 'validate',
      prepare: (frame) => {
        frame.output = frame.answer;
      },
      step:
        outputTypes.length === 0
          ? undefined
          : ({ answer }) =>
              each(outputTypes, (checker) =>
                whenDone(
                  Array.isArray(answer) ? problemsOfEach(checker, answer, true) : problemsIn(checker, answer),
                  (problems) => {
                    if (problems !== undefined && problems.length > 0)
                      throw mismatch('output_invalid', 'the answer', checker, problems);
                  },
                ),
              ),
    },
  ];
}

/** One type after another. */
function each(
  types: readonly Checker[],
  work: (checker: Checker) => void | Promise<void>,
  from = 0,
): undefined | Promise<undefined> {
  for (let at = from; at < types.length; at++) {
    const waits = work(types[at] as Checker);
    if (waits instanceof Promise) return waits.then(() => each(types, work, at + 1));
  }
}
