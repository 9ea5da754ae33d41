import { chordsOf, shownChord } from '../shell/keys.ts';
import { type Studio, useStudio } from '../shell/studio.ts';
import { IconButton } from '../shell/window/icon-button.tsx';
import { useStore } from '../state/use-store.ts';
import { Icon } from '../theme/icon.tsx';
import { type FirstStep, firstStepsOf, steps } from './first-steps.ts';

interface Words {
  readonly title: string;
  readonly detail: string;
  readonly command: string;
}

/** What is said of each step of a first run, at the first page and beside the project. */
export const wordsOfSteps: Readonly<Record<FirstStep, Words>> = {
  template: { title: 'Template', detail: 'A folder of readable files, nothing hidden.', command: 'project.new' },
  start: { title: 'Start', detail: 'The service runs with its log beside it.', command: 'debug.continue' },
  send: { title: 'Send', detail: 'Ask it something and read the answer.', command: 'request.send' },
  step: { title: 'Step', detail: 'Values appear beside each rule.', command: 'debug.stepOver' },
};

/** The steps of a first run, above the editors until they are done. */
export function FirstStepsView() {
  const studio = useStudio();
  const first = firstStepsOf(studio);
  const done = useStore(first.done);
  if (done === undefined) return null;
  const next = steps.find((step) => !done.has(step));
  return (
    <section className="island first-steps" aria-label="First steps">
      <ol>
        {steps.map((step) => (
          <StepLine key={step} step={step} isDone={done.has(step)} isNext={step === next} studio={studio} />
        ))}
      </ol>
      <span className="words">
        {next === undefined ? 'That was all. Nothing of it is needed again.' : wordsOfSteps[next].detail}
      </span>
      <span className="grow" />
      <IconButton icon="close" label="Put the first steps away" onClick={() => first.end()} />
    </section>
  );
}

interface StepLineProps {
  readonly step: FirstStep;
  readonly isDone: boolean;
  readonly isNext: boolean;
  readonly studio: Studio;
}

function StepLine({ step, isDone, isNext, studio: { commands, keyRules, bridge } }: StepLineProps) {
  const { title, command: id } = wordsOfSteps[step];
  const command = useStore(commands.all, (all) => all.get(id));
  const chord = command && chordsOf(command, keyRules)[0];
  return (
    <li className={isDone ? 'done' : undefined} aria-current={isNext ? 'step' : undefined}>
      <span className="step-number">{isDone ? <Icon name="check" label="Done" size="small" /> : stepNumber(step)}</span>
      {title}
      {isNext && chord !== undefined && <kbd>{shownChord(chord, bridge.operatingSystem)}</kbd>}
    </li>
  );
}

function stepNumber(step: FirstStep): number {
  return steps.indexOf(step) + 1;
}
