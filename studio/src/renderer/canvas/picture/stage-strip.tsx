import type { OutlineFlow } from '@svc/protocol/language';
import { Icon, type IconName } from '../../theme/icon.tsx';
import { titleOfStage } from '../graph/places.ts';

/** Stages that there is room for in a flow that is closed. */
const most = 9;

/** The stages of a closed flow in the order in which they run, each by the shape of its family. */
export function StageStrip({ stages }: Pick<OutlineFlow, 'stages'>) {
  const shown = stages.length > most ? stages.slice(0, most - 1) : stages;
  return (
    <span className="stage-strip">
      {shown.map((stage) => (
        <span key={stage.id} className={`${stage.family} ink`} data-place={stage.id} title={titleOfStage(stage)}>
          <Icon name={stage.family as IconName} label={titleOfStage(stage)} />
        </span>
      ))}
      {shown.length < stages.length && <span className="more">+{stages.length - shown.length}</span>}
    </span>
  );
}
