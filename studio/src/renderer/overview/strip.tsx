import { flowsOf } from '../debug/session/flow-map.ts';
import { debugOf } from '../debug/session/session.ts';
import { serviceOf } from '../run/service.ts';
import { partsOf } from '../shell/layout.ts';
import { useStudio } from '../shell/studio.ts';
import { useStore } from '../state/use-store.ts';
import { Icon } from '../theme/icon.tsx';
import { clockTime } from '../values/values.ts';
import { counted, runFacts, sizeInWords } from './facts.ts';

/** How the project is, above its map: how much there is, what is wrong, what listens, what ran. */
export function OverviewStrip() {
  const { layout, project } = useStudio();
  const isShown = useStore(layout.editors, ({ groups }) =>
    groups.some(({ active }) => partsOf(active ?? ':').kind === 'canvas'),
  );
  const hasFolder = useStore(project.info) !== undefined;
  return isShown && hasFolder ? <Facts /> : null;
}

function Facts() {
  const studio = useStudio();
  const { commands, layout, language } = studio;
  const outline = useStore(flowsOf(studio).outline);
  const { diagnostics, at } = useStore(language.checked);
  const service = useStore(serviceOf(studio).state);
  const { threads } = useStore(debugOf(studio).model.state);
  const { runs, failing, lastAt } = runFacts(threads);
  const errors = diagnostics.filter(({ severity }) => severity === 'error').length;
  const warnings = diagnostics.filter(({ severity }) => severity === 'warning').length;
  const problems = [errors > 0 && counted(errors, 'error'), warnings > 0 && counted(warnings, 'warning')];
  const inWords = problems.filter(Boolean).join(', ');
  return (
    <section className="island overview" aria-label="Overview">
      <span className="fact">{sizeInWords(outline)}</span>
      {at !== undefined && (
        <button type="button" className="fact" onClick={() => layout.showPanel('problems', 'left')}>
          <Icon
            name={errors > 0 ? 'error' : warnings > 0 ? 'warning' : 'check'}
            className={`ink ${errors > 0 ? 'error' : warnings > 0 ? 'warning' : 'ok'}`}
          />
          {inWords || 'No problems'}
        </button>
      )}
      {service.kind === 'running' ? (
        <span className="fact">
          <span className="dot ok" />
          {service.addresses.length === 0 ? (
            'Running, and listens nowhere'
          ) : (
            <>
              Listens at <span className="mono">{service.addresses.join(', ')}</span>
            </>
          )}
        </span>
      ) : (
        <button
          type="button"
          className="fact"
          title="Starts it with the debugger. On the command line: svc start"
          disabled={service.kind !== 'stopped'}
          onClick={() => commands.run('debug.continue')}
        >
          <Icon name="play" />
          {service.kind === 'stopped' ? 'Not running: start it' : 'Starting or stopping'}
        </button>
      )}
      {runs > 0 && (
        <button type="button" className="fact" onClick={() => layout.showPanel('runs', 'left')}>
          {counted(runs, 'run')}
          {lastAt !== undefined && `, the last at ${clockTime(lastAt)}`}
        </button>
      )}
      {failing.length > 0 && (
        <button
          type="button"
          className="fact"
          title={failing.join(', ')}
          onClick={() => layout.showPanel('runs', 'left')}
        >
          <Icon name="error" className="ink error" />
          {counted(failing.length, 'flow')} failed last
        </button>
      )}
    </section>
  );
}
