/**
 * Notifies open editors that the status of an account has changed, so that they request it again. Node-RED publishes to
 * every editor, so the event is empty. Only users who may read the account's status know its topic.
 */
import { randomUUID } from 'node:crypto';
import { BoundedMap } from '../../../src/index';

type Publish = (topic: string, data: object) => void;

/** Number of accounts. Editors still poll the status of older ones. */
const MAX_TOPICS = 500;

export class ChangeNotifier {
  private readonly topics = new BoundedMap<string, string>(MAX_TOPICS);
  private count = 0;

  constructor(private readonly publish: Publish) {}

  topic(id: string): string {
    const existing = this.topics.get(id);
    if (existing !== undefined) return existing;
    const topic = `cloud-drive-account/${randomUUID()}`;
    this.topics.set(id, topic);
    return topic;
  }

  notify(id: string): void {
    const topic = this.topics.get(id);
    if (topic !== undefined) this.publish(topic, { change: ++this.count });
  }
}
