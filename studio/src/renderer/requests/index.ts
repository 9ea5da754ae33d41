import type { Studio } from '../shell/studio.ts';
import { requestView } from './request-view.tsx';
import { Requests } from './requests.ts';
import { requestsSide, titleOf } from './side-view.tsx';

/** Requests that are kept as files, sent to the running service, and their answers. */
export function contributeRequests(studio: Studio): void {
  const { contributions, commands, layout, project } = studio;
  const requests = new Requests(studio);
  project.onFolder(() => requests.sender.history.set([]));
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
