import type { Studio } from '../shell/studio.ts';
import { failureOf } from './failure.ts';
import { isForeign } from './look.ts';
import { ServiceSegment } from './segment.tsx';
import { serviceOf } from './service.ts';

/** Runs the service of the open folder, and says why when it does not run. */
export function contributeRun(studio: Studio): void {
  const { contributions, commands, project, layout } = studio;
  const service = serviceOf(studio);
  contributions.addTitle({ id: 'service', side: 'left', order: 10, view: ServiceSegment });
  contributions.addKept({
    name: 'capture',
    changes: service.isCapturing,
    read: () => service.isCapturing.value,
    restore: (stored) => service.isCapturing.set(stored === true),
    suggest: (brought) => brought === true && service.isCapturing.set(true),
  });
  const isStopped = () => project.info.value !== undefined && service.state.value.kind === 'stopped';
  const isRunning = () => service.state.value.kind === 'running' && !isForeign(service.state.value);
  commands.add(
    { id: 'run.start', title: 'Run: Start', enabled: isStopped, run: () => service.start() },
    {
      id: 'run.stop',
      title: 'Run: Stop',
      enabled: () => isRunning() || service.state.value.kind === 'starting',
      run: () => service.stop(),
    },
    { id: 'run.restart', title: 'Run: Restart', enabled: isRunning, run: () => service.restart() },
    {
      id: 'run.createQueues',
      title: 'Run: Create Missing Queues and Start',
      enabled: isStopped,
      run: () => service.createQueues(),
    },
    { id: 'run.output', title: 'Run: Show Output', run: () => layout.showPanel('output', 'left') },
  );
  tellFailures(studio);
}

/** A service that ended by itself is reported with its last lines; what is wrong in the files is shown with it. */
function tellFailures(studio: Studio): void {
  const { notices, layout, language, commands } = studio;
  const service = serviceOf(studio);
  let before = service.state.value;
  service.state.subscribe(() => {
    const was = before;
    before = service.state.value;
    // What a notice says of the service is over as soon as it starts again.
    if (before.kind === 'starting' || before.kind === 'running') notices.end('service');
    const errors = language.checked.value.diagnostics.filter(({ severity }) => severity === 'error').length;
    const text = failureOf(was, before, service.log.value, errors);
    if (text === undefined) return;
    const isWritten = errors > 0 && was.kind === 'starting';
    const problems = { title: 'Show problems', run: () => layout.showPanel('problems', 'left') };
    const output = { title: 'Show output', run: () => layout.showPanel('output', 'left') };
    if (service.state.value.kind === 'stopped' && service.state.value.missingQueues !== undefined) {
      const title = service.state.value.missingQueues.length === 1 ? 'Create queue' : 'Create queues';
      return notices.show('error', text, [{ title, run: () => commands.run('run.createQueues') }, output], 'service');
    }
    const restart = { title: 'Restart', run: () => void commands.run('run.start') };
    const others = was.kind === 'running' && !isForeign(was) ? [restart] : [];
    notices.show('error', text, isWritten ? [problems, output] : [...others, output], 'service');
    if (isWritten) problems.run();
  });
}
