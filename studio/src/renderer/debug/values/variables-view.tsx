import { type KeyboardEvent, useEffect, useMemo, useRef, useState } from 'react';
import type { MenuItem } from '../../shell/menus.ts';
import { EmptyState } from '../../shell/window/empty-state.tsx';
import { IconButton } from '../../shell/window/icon-button.tsx';
import { Section } from '../../shell/window/section.tsx';
import { useStore } from '../../state/use-store.ts';
import { dots } from '../../values/mask.ts';
import { isContainer, readLiteral, sizeOf } from '../../values/values.ts';
import { useDebugger } from '../debugger.ts';
import type { FlowMap } from '../session/flow-map.ts';
import type { Inspected } from '../session/inspection.ts';
import { debugOf } from '../session/session.ts';
import type { Thread } from '../session/thread.ts';
import { ValueLine } from './value-line.tsx';
import type { ValueRow } from './value-tree.ts';
import { VariableSearch } from './variable-search.tsx';

/** What the thread in focus holds: a tree whose values can be copied, watched and changed. */
export function VariablesView() {
  const { studio, inspection } = useDebugger();
  const inspected = useStore(inspection.state);
  const { model } = debugOf(studio);
  const thread = useStore(model.state, () => model.thread(inspected?.threadId));
  if (inspected === undefined || thread === undefined)
    return (
      <Section title="Variables" fill>
        <div className="section-body">
          <EmptyState line="svc trace FLOW --input '{}'">Values appear here when a thread stops or ends.</EmptyState>
        </div>
      </Section>
    );
  return <VariablesOf inspected={inspected} thread={thread} />;
}

function VariablesOf({ inspected, thread }: { readonly inspected: Inspected; readonly thread: Thread }) {
  const { studio, inspection, tree, watches, flows } = useDebugger();
  const { notices } = studio;
  const debug = debugOf(studio);
  const { capabilities } = useStore(debug.model.state);
  const [drawing, setDrawing] = useState(0);
  const [selected, setSelected] = useState('input');
  const [edited, setEdited] = useState<string>();
  const [isSearching, setSearching] = useState(false);
  const holder = useRef<HTMLDivElement>(null);
  const { variables, before, threadId, version, stop } = inspected;
  const notes = useMemo(() => notesOf(inspected, flows), [inspected, flows]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: pages hold values of the stop before
  useEffect(() => tree.forgetPages(), [version, tree]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is typed belongs to the stop
  useEffect(() => setEdited(undefined), [threadId, stop]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the tree changes inside
  const rows = useMemo(() => tree.rows(variables, before, notes), [tree, variables, before, notes, drawing]);
  const active = rows.find(({ id }) => id === selected) ?? rows[0];
  const draw = () => setDrawing((count) => count + 1);
  const fail = (error: unknown) => notices.failed(error);

  const more = (row: ValueRow) => {
    const wanted = tree.more(row);
    draw();
    if (wanted === undefined) return;
    if (inspected.isRecorded)
      return fail(new Error('No more is kept of a run that has ended: stop it to see the rest.'));
    debug.call('debug.page', { threadId, ...wanted }).then(({ size, entries }) => {
      tree.paged(wanted.path, row.value, wanted.start, size, entries);
      draw();
    }, fail);
  };
  const toggle = (row: ValueRow) => {
    if (row.kind === 'more') return more(row);
    if (row.isOpen === undefined) return;
    tree.toggle(row.id);
    draw();
    const isDeep = typeof row.value === 'string' && row.token === undefined;
    if (isDeep && !row.isOpen) more(row);
  };
  const canEdit = (row: ValueRow) =>
    thread.isPaused && row.kind === 'member' && changeable.has(row.path[0] ?? '') && capabilities.has('setVariable');
  const change = async (row: ValueRow, text: string) => inspection.setVariable(row.path, readLiteral(text));
  // At once: a key that is pressed before the next frame would act on another row than the one in focus.
  const focusOn = (row: ValueRow | undefined) => {
    const line = row && holder.current?.children[rows.indexOf(row)];
    if (line instanceof HTMLElement) line.focus();
  };
  const finish = () => {
    setEdited(undefined);
    focusOn(active);
  };
  const copy = (row: ValueRow) =>
    copyText(JSON.stringify(row.value, undefined, 2)).then(
      () => studio.announce(`${row.expression} copied as JSON.`),
      fail,
    );
  const copyPath = (row: ValueRow) =>
    row.kind !== 'decoded' && copyText(row.expression).then(() => studio.announce(`${row.expression} copied.`), fail);
  const actions = {
    toggle,
    copy,
    copyPath,
    watch: (row: ValueRow) => row.kind !== 'decoded' && watches.add(row.expression),
    unmask: (row: ValueRow) => {
      if (row.isMasked) tree.unmask(row.id);
      draw();
    },
    edit: (row: ValueRow) => canEdit(row) && setEdited(row.id),
  };
  const menu = (row: ValueRow, x: number, y: number) => {
    if (row.kind === 'more' || row.kind === 'decoded') return;
    const items: MenuItem[] = [
      { title: 'Copy as JSON', icon: 'copy', keys: 'mod+c', run: () => void copy(row) },
      { title: 'Copy CEL path', icon: 'link', keys: 'mod+shift+c', run: () => void copyPath(row) },
      { title: 'Add to watch', icon: 'eye', keys: 'w', run: () => watches.add(row.expression) },
    ];
    if (row.isMasked)
      items.push({
        title: row.text === dots ? 'Show the text' : 'Mask the text',
        icon: 'lock',
        keys: 'r',
        run: () => actions.unmask(row),
      });
    if (canEdit(row)) items.push({ title: 'Set value', icon: 'hand', keys: 'f2', run: () => setEdited(row.id) });
    studio.menus.show({ label: `Value ${row.expression}`, x, y, items });
  };
  const tools = (
    <>
      {capabilities.has('search') && !inspected.isRecorded && (
        <IconButton
          icon="search"
          label="Find in variables"
          pressed={isSearching}
          onClick={() => setSearching(!isSearching)}
        />
      )}
      <IconButton
        icon="copy"
        label={`Copy ${active?.expression ?? ''} as JSON`}
        onClick={() => active && copy(active)}
      />
      <IconButton
        icon="link"
        label={`Copy ${active?.expression ?? ''} as CEL path`}
        onClick={() => active && copyPath(active)}
      />
    </>
  );
  const pressed = (event: KeyboardEvent<HTMLElement>) => {
    if (active === undefined || edited !== undefined) return;
    const next = keyTarget(event, rows, active, actions);
    if (next === undefined) return;
    event.preventDefault();
    if (next === active) return;
    setSelected(next.id);
    focusOn(next);
  };
  const reveal = (path: readonly string[]) => {
    tree.reveal(path);
    setSelected(path.join('\u0000'));
    draw();
  };
  return (
    <Section title="Variables" sub={ownerOf(thread)} tools={tools} fill>
      <div className="section-body">
        {isSearching && !inspected.isRecorded && (
          <VariableSearch
            threadId={threadId}
            version={version}
            onFound={reveal}
            onClose={() => {
              setSearching(false);
              focusOn(active);
            }}
          />
        )}
        <div ref={holder} className="data scrolls" role="tree" aria-label="Variables" onKeyDown={pressed}>
          {rows.map((row) => (
            <ValueLine
              key={row.id}
              row={row}
              isActive={row === active}
              isEdited={row.id === edited}
              onSelect={() => setSelected(row.id)}
              onChange={(text) => change(row, text)}
              onDone={finish}
              onLeave={() => setEdited(undefined)}
              {...actions}
              menu={menu}
            />
          ))}
        </div>
      </div>
    </Section>
  );
}

/** Scopes whose members can be changed; see `debug.setVariable`. */
const changeable: ReadonlySet<string> = new Set(['input', 'output', 'enriched', 'steps']);

/** Whose values these are, and whether they are still so. */
function ownerOf({ flow, number, cut, ended }: Thread): string {
  const after = { left: ', when it was released', over: ', when the service ended' } as const;
  return `${flow} #${number}${cut !== undefined ? after[cut] : ended ? ', as it ended' : ''}`;
}

/** Where the input came from, how far the rule is among its like, and how much of the output is there. */
function notesOf({ variables: { rule, output }, flow }: Inspected, flows: FlowMap): Readonly<Record<string, string>> {
  const operation = flow && flows.flow(flow.name)?.source?.operation;
  const own = flow?.stages.find(({ rules }) =>
    rules.some((each) => each.index === rule?.index && each.target === rule.target),
  );
  const at = own?.rules.findIndex(({ index }) => index === rule?.index) ?? -1;
  const fields = isContainer(output) ? sizeOf(output) : 0;
  return {
    input: operation ?? '',
    rule: rule === undefined ? '' : at < 0 ? rule.target : `${rule.target}, ${at + 1} of ${own?.rules.length}`,
    output: `${fields} ${fields === 1 ? 'field' : 'fields'}`,
  };
}

type Actions = Readonly<
  Record<'toggle' | 'copy' | 'copyPath' | 'watch' | 'edit' | 'unmask', (row: ValueRow) => unknown>
>;

/** Where a key leads: another row, or the same one when it did something; undefined when it means nothing here. */
function keyTarget(
  { key, ctrlKey, metaKey, shiftKey }: KeyboardEvent,
  rows: readonly ValueRow[],
  active: ValueRow,
  { toggle, copy, copyPath, watch, edit, unmask }: Actions,
): ValueRow | undefined {
  const at = rows.indexOf(active);
  const act = (run: (row: ValueRow) => unknown) => {
    run(active);
    return active;
  };
  if ((ctrlKey || metaKey) && key.toLowerCase() === 'c') return act(shiftKey ? copyPath : copy);
  if (ctrlKey || metaKey) return undefined;
  switch (key) {
    case 'ArrowDown':
      return rows[at + 1] ?? active;
    case 'ArrowUp':
      return rows[at - 1] ?? active;
    case 'Home':
      return rows[0];
    case 'End':
      return rows.at(-1);
    case 'ArrowRight':
      return active.isOpen === false ? act(toggle) : active.isOpen ? rows[at + 1] : active;
    case 'ArrowLeft':
      if (active.isOpen) return act(toggle);
      return rows.slice(0, at).findLast(({ depth }) => depth < active.depth) ?? active;
    case ' ':
      return act(toggle);
    case 'Enter':
      return act(active.isOpen === undefined && active.kind === 'member' ? edit : toggle);
    case 'F2':
      return act(edit);
    case 'w':
      return act(watch);
    case 'r':
      return act(unmask);
    default:
      return undefined;
  }
}

function copyText(text: string): Promise<void> {
  return navigator.clipboard.writeText(text);
}
