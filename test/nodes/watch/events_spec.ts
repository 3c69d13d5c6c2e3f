/** The events of the watch node's dialog, which can't import those of the client. */
import should from 'should';
import { DEFAULTS, type WatchEventType } from '../../../nodes/watch/watch.defaults';
import { CHANGE_EVENTS, type ChangeEvent } from '../../../src/index';

// Doesn't compile if one of the types has an event that the other lacks.
const dialogEvents: readonly ChangeEvent[] = DEFAULTS.events;
const ofClient: readonly WatchEventType[] = CHANGE_EVENTS;

describe('events of the watch node', () => {
  it('a new watch node emits all events of the client', () => {
    should(dialogEvents).eql(ofClient);
  });
});
