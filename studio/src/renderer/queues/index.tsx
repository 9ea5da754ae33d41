import { debugOf } from '../debug/session/session.ts';
import type { Contributions } from '../shell/contributions.ts';
import { tabOf } from '../shell/layout.ts';
import { type Studio, useStudio } from '../shell/studio.ts';
import { Store } from '../state/store.ts';
import { useStore } from '../state/use-store.ts';
import { Desk, peeked } from './desk.ts';
import { queuePage } from './page.tsx';
import { Queues } from './queues.ts';
import { gateTitle, queuesSide } from './side-view.tsx';
import { gateOf } from './sources.ts';

/** Event sources of the attached service, message by message. */
export function contributeQueues(studio: Studio): void {
  const { contributions, commands, layout, project } = studio;
  const debug = debugOf(studio);
  const queues = new Queues(debug);
  const desk = new Desk(studio.bridge, studio.notices);
  project.onFolder(() => {
    queues.messages.set([]);
    desk.forget();
  });
  const badge = new Store<{ readonly count: number } | undefined>(undefined);
  queues.sources.subscribe(() => badge.set({ count: queues.sources.value.length }));
  contributions.addSideView({
    id: 'queues',
    title: 'Queues',
    icon: 'queue',
    order: 40,
    view: queuesSide(queues),
    badge,
  });
  addTab(contributions, queues, desk);
  const GateStatus = () => {
    const sources = useStore(queues.sources);
    const debug = debugOf(useStudio());
    const { connection } = useStore(debug.model.state);
    const gate = gateOf(sources);
    if (gate === undefined || connection !== 'attached') return null;
    return (
      <button type="button" className="status-item" onClick={() => layout.showSide('queues')}>
        Gate: {gateTitle(gate).toLowerCase()}
      </button>
    );
  };
  contributions.addStatus({ id: 'queues.gate', side: 'right', order: 5, view: GateStatus });
  const pullable = () => {
    const active = queues.sources.value.find(({ connector }) => tabOf('queues', connector) === layout.active);
    return active ?? queues.sources.value.find(({ manualConsume }) => manualConsume);
  };
  commands.add(
    { id: 'queues.show', title: 'View: Queues', run: () => layout.showSide('queues') },
    {
      id: 'queues.pull',
      title: 'Queues: Pull One Message',
      enabled: () => pullable()?.manualConsume === true,
      run: async () => {
        const connector = pullable()?.connector ?? '';
        layout.open(tabOf('queues', connector));
        await queues.pull(connector);
      },
    },
    {
      id: 'queues.peek',
      title: `Queues: Peek ${peeked} Messages`,
      enabled: () => pullable()?.manualConsume === true,
      run: async () => {
        const connector = pullable()?.connector ?? '';
        layout.open(tabOf('queues', connector));
        await desk.look(connector, 'waiting');
      },
    },
    {
      id: 'queues.deadLetters',
      title: 'Queues: List Dead Letters',
      enabled: () => pullable()?.manualConsume === true,
      run: async () => {
        const connector = pullable()?.connector ?? '';
        layout.open(tabOf('queues', connector));
        await desk.look(connector, 'dead');
      },
    },
  );
}

/** A tab has the name of its queue as soon as that is known, so tabs are added again when names change. */
function addTab(contributions: Contributions, queues: Queues, desk: Desk): void {
  const view = queuePage(queues, desk);
  let shown: string | undefined;
  const add = () => {
    const names = new Map(queues.sources.value.map(({ connector, source }) => [connector, source]));
    const now = JSON.stringify([...names]);
    if (now === shown) return;
    shown = now;
    contributions.addEditorKind({
      kind: 'queues',
      view,
      title: (connector) => names.get(connector) || connector,
      icon: () => ({ name: 'queue-kind', className: 'ink k-queue' }),
    });
  };
  add();
  queues.sources.subscribe(add);
}
