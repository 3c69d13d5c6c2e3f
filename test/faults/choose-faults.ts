import type { Fault } from '../local-drive';
import { FAULT_KINDS, type Given } from './fault-kinds';
import { PLACES, type Place, VISITED } from './places';

/** A fault by chance, of a kind and at a place that the operation can meet, as the local drive takes it. */
export function chooseFaults(given: Given): { name: string; faults: Fault[] } {
  const { random, operation, through } = given;
  const visited = new Set<Place>(['any', 'token', ...VISITED[operation]]);
  // A node looks at what it is to delete.
  if (through === 'nodes' && operation === 'delete') visited.add('one');
  if (through === 'nodes' && operation === 'trash') visited.add('one');
  const possible = FAULT_KINDS.filter((each) => (each.through ?? through) === through);
  for (;;) {
    const { name, weight = 1, places, make, times = 1 } = random.pick(possible);
    const fitting = places.filter((place) => visited.has(place));
    if (fitting.length === 0 || !random.chance(weight)) continue;
    const match = { ...PLACES[random.pick(fitting)], nth: random.pick([1, 1, 1, 1, 2, 3]) };
    return { name, faults: make(given).map((fault) => ({ ...fault, match, times })) };
  }
}
