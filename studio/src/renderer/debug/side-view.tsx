import { AttachNote } from './attach.tsx';
import { BreakpointList } from './breakpoints/breakpoint-list.tsx';
import { FlowList } from './threads/flow-list.tsx';

/** Run and debug: what there is to stop in, and where it stops. */
export function DebugSide() {
  return (
    <>
      <AttachNote />
      <FlowList />
      <BreakpointList />
    </>
  );
}
