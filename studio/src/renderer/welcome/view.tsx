import type { ReactNode } from 'react';
import { chordsOf, shownChord } from '../shell/keys.ts';
import { useStudio } from '../shell/studio.ts';
import { useStore } from '../state/use-store.ts';
import { Icon, type IconName } from '../theme/icon.tsx';
import { useTemplates } from './dialog.tsx';
import { steps } from './first-steps.ts';
import { wordsOfSteps } from './first-steps-view.tsx';
import { TemplateChoice } from './templates.tsx';

/** The first page: what to begin with. Only what can be done is shown. */
export function WelcomeView() {
  const { commands, contributions } = useStudio();
  const sections = useStore(contributions.firstPage);
  const templates = useTemplates();
  return (
    <div className="welcome" role="document" aria-label="Welcome">
      <h1>svc studio</h1>
      <p className="lead-text">Read a service, run it, and stop inside any rule.</p>
      <div className="welcome-grid">
        <div>
          <h2>Start</h2>
          <StartAction command="project.open" icon="folder" title="Open folder" isFirst>
            HCL files with connectors and flows
          </StartAction>
          {templates.length > 0 && (
            <StartAction command="project.new" icon="template" title="New from template">
              Readable files that run as they are
            </StartAction>
          )}
          <StartAction command="debug.attach" icon="plug" title="Attach to a service">
            host:port of its admin server
          </StartAction>
          <StartAction command="recording.open" icon="tape" title="Open recording">
            Step a past run both ways
          </StartAction>
          <div className="past">
            {sections.map(({ id, view: Section }) => (
              <Section key={id} />
            ))}
          </div>
        </div>
        {templates.length > 0 && (
          <div>
            <h2>Templates</h2>
            <div className="template-list">
              {templates.map((template) => (
                <TemplateChoice
                  key={template.id}
                  template={template}
                  onChoose={() => commands.run('project.new', template.id)}
                />
              ))}
            </div>
            <p className="command-line template-line">
              <Icon name="terminal" />
              svc init orders --template NAME
            </p>
          </div>
        )}
      </div>
      <ol className="steps" aria-label="First run, about a minute">
        {steps.map((step, index) => (
          <Step key={step} number={index + 1} title={wordsOfSteps[step].title} command={wordsOfSteps[step].command}>
            {wordsOfSteps[step].detail}
          </Step>
        ))}
      </ol>
      <p className="foot welcome-foot">
        <Icon name="lock" />
        Works offline. No account, no telemetry.
        <button type="button" className="link" onClick={() => commands.run('help.keys')}>
          Keyboard shortcuts
        </button>
      </p>
    </div>
  );
}

/** The chord of a command as it is shown; undefined when it has no chord. */
function useChord(id: string): string | undefined {
  const studio = useStudio();
  useStore(studio.settings.state);
  const command = useStore(studio.commands.all, (all) => all.get(id));
  const chord = command && chordsOf(command, studio.keyRules)[0];
  return chord && shownChord(chord, studio.bridge.operatingSystem);
}

interface StartActionProps {
  readonly command: string;
  readonly icon: IconName;
  readonly title: string;
  readonly isFirst?: boolean | undefined;
  readonly children: ReactNode;
}

function StartAction({ command, icon, title, isFirst, children }: StartActionProps) {
  const { commands } = useStudio();
  const isThere = useStore(commands.all, (all) => all.has(command));
  const chord = useChord(command);
  if (!isThere) return null;
  return (
    <button
      type="button"
      className={isFirst ? 'start-action first' : 'start-action'}
      onClick={() => commands.run(command)}
    >
      <span className="tile large">
        <Icon name={icon} />
      </span>
      <span>
        <b>{title}</b>
        <small>{children}</small>
      </span>
      {chord !== undefined && <kbd>{chord}</kbd>}
    </button>
  );
}

interface StepProps {
  readonly number: number;
  readonly title: string;
  readonly command: string;
  readonly children: ReactNode;
}

function Step({ number, title, command, children }: StepProps) {
  const chord = useChord(command);
  return (
    <li>
      <b>
        <span className="step-number">{number}</span>
        {title}
        {chord !== undefined && <kbd>{chord}</kbd>}
      </b>
      {children}
    </li>
  );
}
