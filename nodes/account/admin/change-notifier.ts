/**
 * Tells the open editors that something about an account's sign-in has changed; they then ask what. What is published
 * reaches every editor, so it says nothing, under a topic that only those know who may look at the account.
 */
import { randomUUID } from 'node:crypto';

type Publish = (topic: string, data: object) => void;

/** Accounts that were looked at; of more than these the oldest go by polling alone. */
const MOST = 500;

export class ChangeNotifier {
  private readonly topics = new Map<string, string>();
  private count = 0;

  constructor(private readonly publish: Publish) {}

  topic(id: string): string {
    const known = this.topics.get(id);
    if (known !== undefined) return known;
    const topic = `cloud-drive-account/${randomUUID()}`;
    this.topics.set(id, topic);
    const [oldest] = this.topics.keys();
    if (this.topics.size > MOST && oldest !== undefined) this.topics.delete(oldest);
    return topic;
  }

  notify(id: string): void {
    const topic = this.topics.get(id);
    if (topic !== undefined) this.publish(topic, { change: ++this.count });
  }
}
