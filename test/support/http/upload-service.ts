/** A service for uploads alone, whose every answer a test can change. */
import { md5, sha256 } from '../content';
import { type Answer, type Reply, ScriptedService, type Seen } from './scripted-service';

export interface Stored {
  id: string;
  resource: Record<string, unknown>;
  mimeType: string;
  content: Buffer;
}

/**
 * The two kinds of upload in a few lines, strict where the real service is: for faults that a test puts in by `fault`,
 * asked before each answer.
 */
export class UploadService {
  readonly files: Stored[] = [];
  readonly sessions = new Map<
    string,
    { resource: Record<string, unknown>; total: number; parts: Buffer; mimeType: string; patch?: string }
  >();
  /** Returns an answer to give instead; undefined for the right one. It may read and change everything here. */
  fault: (seen: Seen) => Reply | undefined | Promise<Reply | undefined> = () => undefined;
  /** Fields that answers leave out. */
  hides: string[] = [];
  /** Ids that were given out. */
  private given = 0;

  private constructor(readonly wire: ScriptedService) {
    wire.on(async (seen) => (await this.fault(seen)) ?? this.answer(seen));
  }

  static async start(): Promise<UploadService> {
    return new UploadService(await ScriptedService.start());
  }

  answer(seen: Seen): Answer {
    if (seen.path === '/drive/v3/files/generateIds') {
      return { body: { ids: Array.from({ length: 50 }, () => `id-${Date.now()}-${this.given++}`) } };
    }
    if (seen.query.get('uploadType') === 'multipart') return this.multipart(seen);
    if (seen.query.get('uploadType') === 'resumable') return this.start(seen);
    if (seen.path.startsWith('/session/')) return this.put(seen);
    if (seen.path === '/drive/v3/files')
      return { body: { files: this.files.map((each) => this.view(each)) } };
    const file = this.files.find(({ id }) => seen.path === `/drive/v3/files/${id}`);
    if (file && seen.method === 'GET') return { body: asked(this.view(file), seen) };
    if (file && seen.method === 'DELETE') {
      this.files.splice(this.files.indexOf(file), 1);
      return { status: 204 };
    }
    return { status: 404 };
  }

  private multipart(seen: Seen): Answer {
    const boundary =
      /^multipart\/related; boundary=(.+)$/.exec(seen.headers['content-type'] ?? '')?.[1] ?? '';
    const text = seen.body.toString('latin1');
    const parts = text.split(`--${boundary}`);
    const [, first = '', second = ''] = parts;
    if (parts.length !== 4 || parts[3] !== '--\r\n') return { status: 400 };
    const resource = JSON.parse(utf8(first.slice(first.indexOf('\r\n\r\n')))) as Record<string, unknown>;
    const start = second.indexOf('\r\n\r\n') + 4;
    const content = Buffer.from(second.slice(start, -2), 'latin1');
    const mimeType = /Content-Type: (.*)\r\n/.exec(second)?.[1] ?? '';
    return this.store(resource, content, mimeType, seen);
  }

  private start(seen: Seen): Answer {
    const resource = JSON.parse(seen.body.toString()) as Record<string, unknown>;
    if (this.files.some(({ id }) => id === resource['id'])) return { status: 409 };
    const key = `s${this.sessions.size}`;
    this.sessions.set(key, {
      resource,
      total: Number(seen.headers['x-upload-content-length']),
      mimeType: seen.headers['x-upload-content-type'] as string,
      parts: Buffer.alloc(0),
      ...(seen.method === 'PATCH' ? { patch: seen.path.split('/').pop() ?? '' } : {}),
    });
    return { headers: { Location: `${this.wire.url}/session/${key}?upload_id=SESSION-SECRET` } };
  }

  private put(seen: Seen): Answer {
    const session = this.sessions.get(seen.path.slice('/session/'.length));
    if (!session) return { status: 404 };
    const range = seen.headers['content-range'] ?? '';
    const match = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(range);
    if (match) {
      const [start, end, total] = match.slice(1).map(Number) as [number, number, number];
      if (total !== session.total || end - start + 1 !== seen.body.length || start > session.parts.length)
        return { status: 400 };
      session.parts = Buffer.concat([session.parts.subarray(0, start), seen.body]);
    } else if (range !== `bytes */${session.total}`) return { status: 400 };
    if (session.parts.length < session.total) return stored(session.parts.length);
    const there = this.files.find(({ id }) => id === session.resource['id']);
    if (there) return { body: this.view(there) };
    return this.store(session.resource, session.parts, session.mimeType, seen, session.patch);
  }

  private store(
    resource: Record<string, unknown>,
    content: Buffer,
    mimeType: string,
    seen: Seen,
    patch?: string,
  ): Answer {
    const target = patch ?? (seen.method === 'PATCH' ? seen.path.split('/').pop() : undefined);
    if (target !== undefined) {
      const file = this.files.find(({ id }) => id === target);
      if (!file) return { status: 404 };
      Object.assign(file, { content, mimeType, resource: { ...file.resource, ...resource } });
      return { body: this.view(file) };
    }
    const id = (resource['id'] as string | undefined) ?? `made-${this.files.length}`;
    if (this.files.some((each) => each.id === id)) return { status: 409 };
    const file = { id, resource, content, mimeType };
    this.files.push(file);
    return { body: this.view(file) };
  }

  view({ id, resource, content, mimeType }: Stored): Record<string, unknown> {
    const view = {
      ...resource,
      id,
      mimeType,
      size: String(content.length),
      md5Checksum: md5(content),
      sha256Checksum: sha256(content),
    };
    return Object.fromEntries(Object.entries(view).filter(([name]) => !this.hides.includes(name)));
  }
}

export function stored(length: number): Answer {
  return { status: 308, headers: length > 0 ? { Range: `bytes=0-${length - 1}` } : {} };
}

/** No more of a file than its `fields` ask for. */
function asked(view: Record<string, unknown>, { query }: Seen): Record<string, unknown> {
  const fields = query.get('fields')?.split(',');
  return fields && !fields.includes('*')
    ? Object.fromEntries(Object.entries(view).filter(([name]) => fields.includes(name)))
    : view;
}

function utf8(text: string): string {
  return Buffer.from(text, 'latin1').toString('utf8');
}
