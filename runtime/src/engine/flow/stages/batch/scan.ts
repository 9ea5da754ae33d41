import type { Values } from '@svc/protocol/schema';
import { FlowRequest } from '../../calls/call.ts';
import { prepareScanCall, type RowsOfScan } from '../../calls/scan.ts';
import { compileArgument, evaluator } from '../../compile/argument.ts';
import { compileTarget } from '../../compile/target.ts';
import type { FlowModel } from '../../model.ts';
import type { FlowTools } from '../../tools.ts';
import type { Before, Pages, Row } from './pages.ts';
import type { batch } from './spec.ts';

/** A source that is being read, and how many of its rows were taken. */
interface OpenScan {
  readonly rows: RowsOfScan;
  taken: number;
}

/**
 * The pages of a source that gives its rows one after another. It is read once: an attempt that follows a failed one begins
 * again, and passes over the rows that are done.
 */
export function compileScan({ name: flow }: FlowModel, block: Values<typeof batch>, tools: FlowTools): Pages {
  const { source, operation, chunk_size: size } = block;
  const use = tools.connector(source);
  const named = use.operation(operation);
  const target = compileTarget(block.target, 'batch', tools);
  const expression = (each: Parameters<FlowTools['expression']>[0], title: string) => tools.expression(each, title);
  const params = evaluator(block.params && compileArgument(block.params, expression, 'batch: params'));
  const begin = prepareScanCall(
    use,
    {
      verb: 'read',
      operation: named === undefined ? operation : named.operation,
      target: typeof target === 'string' ? target : undefined,
      exact: true,
      timeout: undefined,
      flow,
      label: 'batch',
    },
    tools,
    named,
  );
  const open = new WeakMap<Before, OpenScan>();
  return {
    read: async (frame, before) => {
      let scan = open.get(before);
      if (scan === undefined) {
        const request = new FlowRequest(frame);
        if (typeof target === 'function') request.aim(target);
        request.params = params?.(frame) as Row | undefined;
        scan = { rows: begin(request), taken: 0 };
        open.set(before, scan);
      }
      await scan.rows.skip(before.offset - scan.taken);
      const rows = await scan.rows.take(size);
      scan.taken = before.offset + rows.length;
      return rows;
    },
    end: async (before) => {
      const scan = open.get(before);
      open.delete(before);
      await scan?.rows.end();
    },
  };
}
