import type { Fault } from '../local-drive';
import { FAULT_KINDS, type FaultContext } from './fault-kinds';
import { REQUEST_KINDS, type RequestKind, REQUESTS_BY_OPERATION } from './request-kinds';

/** A fault by chance, of a kind and at a place that the operation can meet, as the local drive takes it. */
export function chooseFaults(given: FaultContext): { name: string; faults: Fault[] } {
  const { random, operation, layer } = given;
  const visited = new Set<RequestKind>(['any', 'token', ...REQUESTS_BY_OPERATION[operation]]);
  // A node looks at what it is to delete.
  if (layer === 'nodes' && operation === 'delete') visited.add('one');
  if (layer === 'nodes' && operation === 'trash') visited.add('one');
  const possible = FAULT_KINDS.filter((each) => (each.layer ?? layer) === layer);
  for (;;) {
    const { name, probability = 1, requests, make, times = 1 } = random.pick(possible);
    const fitting = requests.filter((place) => visited.has(place));
    if (fitting.length === 0 || !random.chance(probability)) continue;
    const match = { ...REQUEST_KINDS[random.pick(fitting)], nth: random.pick([1, 1, 1, 1, 2, 3]) };
    return { name, faults: make(given).map((fault) => ({ ...fault, match, times })) };
  }
}
