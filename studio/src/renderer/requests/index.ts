import { runActionsOf } from '../debug/runs/actions.ts';
import type { Thread } from '../debug/session/thread.ts';
import { sampleSourceOf } from '../debug/text/sample-source.ts';
import { serviceOf } from '../run/service.ts';
import type { Studio } from '../shell/studio.ts';
import { factorDialog } from './identities/factor-dialog.tsx';
import { identitiesDialog } from './identities/identities-dialog.tsx';
import { requestView } from './request-view.tsx';
import { Requests } from './requests.ts';
import { requestsSide, titleOf } from './side-view.tsx';

/** Requests that are kept as files, sent to the running service, and their answers. */
export function contributeRequests(studio: Studio): void {
  const { contributions, commands, layout, notices, project } = studio;
  const requests = new Requests(studio);
  const { identities } = requests;
  const failed = (error: unknown) => notices.failed(error);
  project.onFolder(() => {
    requests.sender.history.set([]);
    if (project.info.value !== undefined) void identities.forget().catch(failed);
  });
  contributions.addOverlay({ id: 'requests.identities', view: identitiesDialog(identities) });
  contributions.addOverlay({ id: 'requests.factor', view: factorDialog(identities) });
  contributions.addSideView({
    id: 'requests',
    title: 'Requests',
    icon: 'send',
    order: 45,
    view: requestsSide(requests),
  });
  contributions.addEditorKind({
    kind: 'request',
    view: requestView(requests),
    title: titleOf,
    icon: () => ({ name: 'send' }),
  });
  const refused = (thread: Thread) => requests.refused(thread);
  runActionsOf(studio).update((all) => [
    {
      id: 'again',
      title: 'Send again',
      icon: 'send',
      refused: (thread) =>
        refused(thread) ?? (serviceOf(studio).state.value.kind === 'running' ? undefined : 'The service does not run.'),
      run: (thread) => requests.sendAgain(thread),
    },
    {
      id: 'changes',
      title: 'Send with changes',
      icon: 'code',
      refused,
      run: (thread) => requests.keepRun(thread, 'changes'),
    },
    {
      id: 'request',
      title: 'Save as request',
      icon: 'download',
      refused,
      run: (thread) => requests.keepRun(thread, 'new'),
    },
    ...all,
  ]);
  sampleSourceOf(studio).set((flow) => requests.sampleOf(flow));
  const isUnderWay = () => requests.sender.underWay.value.has(requests.active ?? '');
  commands.add(
    { id: 'requests.show', title: 'View: Requests', run: () => layout.showSide('requests') },
    {
      id: 'request.new',
      title: 'Request: New',
      enabled: () => project.info.value !== undefined,
      run: () => requests.open(undefined),
    },
    {
      id: 'request.identities',
      title: 'Request: Identities',
      enabled: () => project.info.value !== undefined,
      run: () => identities.isManaging.set(true),
    },
    {
      id: 'request.copyAsCurl',
      title: 'Request: Copy as curl',
      enabled: () => requests.active !== undefined,
      run: () => requests.copyAsCurl(requests.active ?? ''),
    },
    {
      id: 'request.send',
      title: 'Request: Send',
      keys: 'mod+enter',
      enabled: () => requests.active !== undefined && !isUnderWay(),
      run: () => requests.send(requests.active ?? ''),
    },
    {
      id: 'request.cancel',
      title: 'Request: Cancel',
      enabled: isUnderWay,
      run: () => requests.sender.cancel(requests.active ?? ''),
    },
  );
}
