import type { Fault } from '../local-drive';
import { FAULT_KINDS, type FaultContext } from './fault-kinds';
import { REQUEST_KINDS, type RequestKind, REQUESTS_BY_OPERATION } from './request-kinds';

/** Chooses a random fault that can occur in the requests of the operation. */
export function chooseFaults(context: FaultContext): { name: string; faults: Fault[] } {
  const { random, operation, layer } = context;
  const requestKinds = new Set<RequestKind>(['any', 'token', ...REQUESTS_BY_OPERATION[operation]]);
  // The delete node reads the metadata first.
  if (layer === 'nodes' && operation === 'delete') requestKinds.add('one');
  if (layer === 'nodes' && operation === 'trash') requestKinds.add('one');
  const possible = FAULT_KINDS.filter((each) => (each.layer ?? layer) === layer);
  for (;;) {
    const { name, probability = 1, requests, make, times = 1 } = random.pick(possible);
    const applicable = requests.filter((each) => requestKinds.has(each));
    if (applicable.length === 0 || !random.chance(probability)) continue;
    const match = { ...REQUEST_KINDS[random.pick(applicable)], nth: random.pick([1, 1, 1, 1, 2, 3]) };
    return { name, faults: make(context).map((fault) => ({ ...fault, match, times })) };
  }
}
