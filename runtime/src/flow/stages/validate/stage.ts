import type { Part } from '../../message/part.ts';
import type { FlowModel } from '../../model.ts';
import { mismatch } from './checker.ts';

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
          : ({ input }) => {
              for (const checker of inputTypes) {
                checker.complete?.(input);
                const problems = checker.problemsOf(input);
                if (problems !== undefined) throw mismatch('input_invalid', 'the message', checker, problems);
              }
              return undefined;
            },
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
          : ({ answer }) => {
              for (const checker of outputTypes) {
                const problems = Array.isArray(answer)
                  ? answer.flatMap((item, at) => checker.problemsOf(item, `[${at}]`) ?? [])
                  : (checker.problemsOf(answer) ?? []);
                if (problems.length > 0) throw mismatch('output_invalid', 'the answer', checker, problems);
              }
              return undefined;
            },
    },
  ];
}
