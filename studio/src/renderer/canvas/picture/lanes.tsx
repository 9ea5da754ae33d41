import type { OutlineFlow, OutlineRule, OutlineStage } from '@svc/protocol/language';
import { type RuleValue, ruleKey, type Thread } from '../../debug/session/thread.ts';
import { useStudio } from '../../shell/studio.ts';
import { useStore } from '../../state/use-store.ts';
import { coverageOf, type Reached } from '../../tests/coverage.ts';
import { lookOfKind } from '../../theme/connector-kind.ts';
import { Icon, type IconName } from '../../theme/icon.tsx';
import { addMark } from '../building/gestures.ts';
import { useCanvas, useSelected } from '../context.ts';
import type { FlowNode } from '../graph/drawn.ts';
import { families, familyTitles, stagesByFamily } from '../graph/families.ts';
import { ruleId, stopPlaceOf } from '../graph/places.ts';
import { heightOfStage, laneWidthsOf, showsRules } from '../graph/sizes.ts';
import { titleInLane } from '../graph/titles.ts';
import { durationOf, hasFailedAt, isAhead } from '../runs.ts';
import { BreakpointMark } from './mark.tsx';

/** The stages of an open flow, by family, with their rules and what the last run made of them. */
export function Lanes({ node, thread }: { readonly node: FlowNode; readonly thread: Thread | undefined }) {
  const stages = stagesByFamily(node.flow);
  return (
    <div
      className="lanes"
      style={{
        gridTemplateColumns: laneWidthsOf(node.flow)
          .map((width) => `${width}fr`)
          .join(' '),
      }}
    >
      {families.map((family) => (
        <section key={family} className={`lane ${family}`}>
          <div className="lane-head">
            <Icon name={family as IconName} />
            {familyTitles[family]}
            <span
              className="lane-add"
              data-add={addMark(node.flow.id, family)}
              title={`Add a stage to ${familyTitles[family]} (A)`}
            >
              <Icon name="plus" />
            </span>
          </div>
          {stages.get(family)?.map((stage) => (
            <StageBox key={stage.id} {...{ stage, node, thread }} />
          ))}
        </section>
      ))}
    </div>
  );
}

interface StageBoxProps {
  readonly stage: OutlineStage;
  readonly node: FlowNode;
  readonly thread: Thread | undefined;
}

function StageBox({ stage, node: { flow, kinds }, thread }: StageBoxProps) {
  const canvas = useCanvas();
  const { id, rules } = stage;
  const hasRules = showsRules(stage);
  const isSelected = useStore(
    canvas.selected,
    (selected) => selected === id || (!hasRules && selected?.startsWith(`${id}/rule `) === true),
  );
  const stop = stopOf(flow, stage);
  const isHere = thread?.isPaused === true && thread.stage === stage.stage && thread.name === stage.name;
  const todo = thread !== undefined && isAhead(thread, stage.stage, stage.name);
  const isBefore = isHere && (!hasRules || thread.rule === undefined);
  const hasFailed = thread !== undefined && hasFailedAt(thread, stage.stage, stage.name, flow.id.startsWith('saga '));
  const isUndoing = stage.word === 'compensate';
  const reached = useReached(stop, -1);
  const states = [
    reached && `reach-${reached.reach}`,
    isSelected && 'selected',
    todo && 'todo',
    isBefore && 'at',
    hasFailed && 'failed',
    isUndoing && 'undo',
  ]
    .filter(Boolean)
    .join(' ');
  const { title, detail } = titleInLane(stage, flow);
  const style = { height: heightOfStage(stage) };
  if (hasRules) {
    return (
      <div className={`stage rules ${states}`} style={style} data-place={id} title={reached?.detail}>
        <span className="mark" data-mark={id}>
          <BreakpointMark places={[stop]} isHere={isBefore} />
        </span>
        <div className="head">
          <b className="ellipsis">{title}</b>
          <small>{rules.length === 1 ? '1 rule' : `${rules.length} rules`}</small>
        </div>
        {rules.map((rule) => (
          <RuleLine key={rule.index} {...{ rule, stage, flow, thread }} />
        ))}
      </div>
    );
  }
  const kind = kinds[id];
  const look = kind && lookOfKind(kind);
  const duration = thread && durationOf(thread, stage.stage, stage.name);
  const stops = rules.map((rule) => stop && { ...stop, ruleIndex: rule.index });
  return (
    <div
      className={`stage ${states}`}
      style={style}
      data-place={id}
      title={[`${stage.word} ${stage.name}`.trim(), reached?.detail].filter(Boolean).join(': ')}
    >
      <span className="mark" data-mark={id}>
        <BreakpointMark places={[stop, ...stops]} isHere={isHere} />
      </span>
      {isUndoing && <Icon name="undo" className="undo-icon" />}
      <span className="label">
        <b>{title}</b>
        <small>{hasFailed ? 'failed' : (duration ?? detail)}</small>
      </span>
      {look && (
        <span className={`${look.className} ink`}>
          <Icon name={look.name} />
        </span>
      )}
    </div>
  );
}

interface RuleLineProps {
  readonly rule: OutlineRule;
  readonly stage: OutlineStage;
  readonly flow: OutlineFlow;
  readonly thread: Thread | undefined;
}

function RuleLine({ rule, stage, flow, thread }: RuleLineProps) {
  const id = ruleId(stage, rule);
  const isSelected = useSelected(id);
  const isIn = thread?.isPaused === true && thread.stage === stage.stage && thread.name === stage.name;
  const isHere = isIn && thread.rule?.index === rule.index;
  const value = thread?.values.get(ruleKey(stage.stage ?? '', stage.name, rule.index));
  const hasFailed = !isHere && value !== undefined && value.error !== '';
  const stop = stopOf(flow, stage);
  const reached = useReached(stop, rule.index);
  const states = [isHere && 'at', hasFailed && 'failed', isSelected && 'selected', reached && `reach-${reached.reach}`];
  return (
    <div
      className={['rule', ...states].filter(Boolean).join(' ')}
      data-place={id}
      title={[rule.expression, reached?.detail].filter(Boolean).join('\n')}
    >
      <span className="mark" data-mark={id}>
        <BreakpointMark places={[stop && { ...stop, ruleIndex: rule.index }]} isHere={isHere} />
      </span>
      <span className="target">{rule.target}</span>
      <span className={hasFailed ? 'value error ink' : 'value'}>{isHere ? 'next' : shownValue(value)}</span>
    </div>
  );
}

/** What tests reached of a stage (`ruleIndex` -1) or a rule, while coverage is shown. */
function useReached(stop: ReturnType<typeof stopOf>, ruleIndex: number): Reached | undefined {
  const coverage = coverageOf(useStudio());
  useStore(coverage.places);
  return stop && coverage.of(stop.flow, stop.stage, stop.name, ruleIndex);
}

function stopOf(flow: OutlineFlow, stage: OutlineStage) {
  return stopPlaceOf({ id: stage.id, file: stage.file, start: 0, end: 0, flow, stage });
}

const longestValue = 40;

function shownValue(value: RuleValue | undefined): string {
  if (value === undefined) return '';
  if (value.error !== '') return 'failed';
  return (JSON.stringify(value.result) ?? 'null').slice(0, longestValue);
}
