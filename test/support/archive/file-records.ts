/** The records of interrupted swaps, in a file, for tests that kill a restore in its own process. */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';

export class FileRecords extends Map<string, string> {
  private file = '';

  static load(file: string): FileRecords {
    const saved = existsSync(file) ? readFileSync(file, 'utf8') : '[]';
    const records = new FileRecords(JSON.parse(saved) as [string, string][]);
    records.file = file;
    return records;
  }

  /** The same in each process. */
  secret(): string {
    return this.file;
  }

  override set(target: string, digest: string): this {
    super.set(target, digest);
    return this.save();
  }

  override delete(target: string): boolean {
    const isDeleted = super.delete(target);
    this.save();
    return isDeleted;
  }

  private save(): this {
    // Also called for each entry by the constructor, before the file is known.
    if (!this.file) return this;
    writeFileSync(`${this.file}.new`, JSON.stringify([...this]));
    renameSync(`${this.file}.new`, this.file);
    return this;
  }
}
