import type { ServiceState } from '../../shared/services.ts';
import type { DebugState } from '../debug/session/model.ts';

/** What the title bar says of the service. */
export interface RunLook {
  readonly text: string;
  /** `:3000`, or the address of a service that another runs; empty while it is absent. */
  readonly address: string;
  /** Class of the dot; a ring means a state in transition. */
  readonly dot: string;
}

/** The service of this folder; while it is stopped, the one that the debugger is attached to instead. */
export function lookOf(service: ServiceState, debug: Pick<DebugState, 'connection' | 'address'>): RunLook {
  switch (service.kind) {
    case 'starting':
      return { text: 'Starting', address: '', dot: 'dot ring warning' };
    case 'stopping':
      return { text: 'Stopping', address: '', dot: 'dot ring warning' };
    case 'running':
      return {
        text: isForeign(service) ? 'Attached' : 'Running',
        address: shownPorts(service.addresses),
        dot: 'dot ok',
      };
    case 'stopped':
      if (debug.connection === 'attached')
        return { text: 'Attached', address: hostOf(debug.address ?? ''), dot: 'dot ok' };
      if (service.reason !== undefined) return { text: 'Failed', address: '', dot: 'dot error' };
      return { text: 'Not running', address: '', dot: 'dot ring' };
  }
}

/** Another program runs it: it is shown and debugged, and stopped where it was started. */
export function isForeign(service: ServiceState): boolean {
  return service.kind === 'running' && service.pid === 0;
}

/** `:3000`, and how many more there are. */
function shownPorts([first, ...others]: readonly string[]): string {
  if (first === undefined) return '';
  const more = others.length === 0 ? '' : ` +${others.length}`;
  return `:${new URL(first).port || (first.startsWith('https') ? 443 : 80)}${more}`;
}

function hostOf(address: string): string {
  return URL.canParse(address) && address.includes('://') ? new URL(address).host : address;
}
