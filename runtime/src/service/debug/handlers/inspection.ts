import { type Handlers, wireError } from '@svc/protocol/wire';
import { asFailure } from '../../../foundation/errors/classify.ts';
import { connectorEntries, flowEntries, modulesEntry, transformEntries, typeEntries } from '../inspect.ts';
import { knownTargets } from '../known-targets.ts';
import { metricsEntry } from '../metrics.ts';
import { type Caller, serviceOf } from './caller.ts';

type Names =
  | 'inspect.flows'
  | 'inspect.flow'
  | 'inspect.connectors'
  | 'inspect.targets'
  | 'inspect.modules'
  | 'inspect.metrics'
  | 'inspect.types'
  | 'inspect.transforms';

export const inspectionHandlers: Pick<Handlers<Caller>, Names> = {
  'inspect.flows': (caller) => flowEntries(serviceOf(caller), caller.hub.secrecy),
  'inspect.flow': (caller, { name }) => {
    const found = flowEntries(serviceOf(caller), caller.hub.secrecy).find((flow) => flow.name === name);
    if (found === undefined) throw wireError('flowNotFound', `there is no flow "${name}"`);
    return found;
  },
  'inspect.connectors': (caller) => connectorEntries(serviceOf(caller)),
  'inspect.targets': async (caller, { connector }) => {
    const found = await knownTargets(serviceOf(caller), connector).catch((error: unknown) => {
      throw wireError('internalError', asFailure(error).message);
    });
    if (found === undefined) throw wireError('invalidParams', `there is no connector "${connector}"`);
    return found;
  },
  'inspect.modules': (caller) => modulesEntry(serviceOf(caller)),
  'inspect.metrics': (caller) => metricsEntry(serviceOf(caller), caller.metrics, caller.hub.threads.values()),
  'inspect.types': (caller) => typeEntries(serviceOf(caller)),
  'inspect.transforms': (caller) => transformEntries(serviceOf(caller), caller.hub.secrecy),
};
