/** A map with a maximum size: adding an entry to a full map removes the oldest one. */
export class BoundedMap<K, V> extends Map<K, V> {
  constructor(private readonly maxSize: number) {
    super();
  }

  /** An existing key becomes the newest. */
  override set(key: K, value: V): this {
    this.delete(key);
    super.set(key, value);
    const [oldest] = this.keys();
    if (this.size > this.maxSize && oldest !== undefined) this.delete(oldest);
    return this;
  }
}
