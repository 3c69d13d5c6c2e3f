/**
 * Decodes the ASCII armor of age: base64 between two lines, as `age -a` writes it. Whitespace is allowed around it, and
 * lines may end with CRLF. What was changed is noticed by the decryption. https://c2sp.org/age#ascii-armor
 */
import { freeBuffer } from '../../core/buffers';
import { badResponse } from '../../errors';

const BEGIN = '-----BEGIN AGE ENCRYPTED FILE-----';
const END = '-----END AGE ENCRYPTED FILE-----';
/** Characters before the first line, as for the age program. */
const MAX_SPACE = 1_024;
/** Bytes in which {@link isArmored} looks for the first line. */
export const ARMOR_HEAD = MAX_SPACE + BEGIN.length;
const NEWLINES = /[\r\n]+/g;
const NOTHING = Buffer.alloc(0);
const CONTENT = /^[A-Za-z0-9+/]*={0,2}$/;

/** @param head of a file, at least {@link ARMOR_HEAD} bytes unless the file is shorter */
export function isArmored(head: Buffer): boolean {
  return head.toString('latin1', 0, ARMOR_HEAD).trimStart().startsWith(BEGIN);
}

/** @param chunks of an armored file. @throws `bad_response` if the armor is damaged or has no end */
export async function* decodeArmor(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const armor = new Armor();
  for await (const chunk of chunks) {
    const decoded = armor.add(chunk.toString('latin1'));
    freeBuffer(chunk);
    if (decoded.length > 0) yield decoded;
  }
  if (!armor.isComplete) throw malformed();
}

class Armor {
  private state: 'start' | 'content' | 'end' = 'start';
  /** Characters that aren't decoded yet. */
  private text = '';

  get isComplete(): boolean {
    return this.text === END;
  }

  add(text: string): Buffer {
    this.text += text;
    if (this.state === 'start') this.readStart();
    const decoded = this.state === 'content' ? this.readContent() : NOTHING;
    if (this.state === 'end') this.readEnd();
    return decoded;
  }

  private readStart(): void {
    this.text = this.text.trimStart();
    const end = this.text.indexOf('\n');
    if (end === -1 && this.text.length <= ARMOR_HEAD) return;
    if (this.text.slice(0, end).trimEnd() !== BEGIN) throw malformed();
    this.text = this.text.slice(end + 1);
    this.state = 'content';
  }

  private readContent(): Buffer {
    const dash = this.text.indexOf('-');
    const rest = dash === -1 ? '' : this.text.slice(dash);
    const encoded = this.text.slice(0, dash === -1 ? undefined : dash).replace(NEWLINES, '');
    // Four characters are three bytes.
    const length = encoded.length - (dash === -1 ? encoded.length % 4 : 0);
    const groups = encoded.slice(0, length);
    if (length % 4 !== 0 || !CONTENT.test(groups)) throw malformed();
    this.text = encoded.slice(length) + rest;
    if (dash !== -1 || groups.endsWith('=')) this.state = 'end';
    return decode(groups);
  }

  private readEnd(): void {
    this.text = this.text.trimStart();
    if (this.text.trimEnd() === END) this.text = END;
    if (!END.startsWith(this.text)) throw malformed();
  }
}

/** In memory of its own, which can be freed. */
function decode(text: string): Buffer {
  const bytes = Buffer.allocUnsafeSlow((text.length / 4) * 3);
  return bytes.subarray(0, bytes.write(text, 'base64'));
}

function malformed(): Error {
  return badResponse('bad_response_age', { reason: 'ASCII armor' });
}
