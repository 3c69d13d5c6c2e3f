/** The upload endpoints of the Drive API in memory, strict where the API is; a test can replace any response. */
import { md5, sha256 } from '../content';
import { type ScriptedResponse, type Reply, ScriptedService, type ReceivedRequest } from './scripted-service';

type Metadata = Record<string, unknown>;

export interface StoredFile {
  id: string;
  metadata: Metadata;
  mimeType: string;
  content: Buffer;
}

/** A resumable session. */
interface Session {
  metadata: Metadata;
  mimeType: string;
  /** Bytes of the whole content. */
  total: number;
  /** Bytes stored so far. */
  content: Buffer;
  /** Id of the file to update; undefined to create one. */
  updates: string | undefined;
}

export class UploadService {
  readonly files: StoredFile[] = [];
  /** By the last segment of their URLs: `s0`, `s1`, … */
  readonly sessions = new Map<string, Session>();
  /** Called before each response: returns one to send instead, or undefined. It may change files and sessions. */
  fault: (request: ReceivedRequest) => Reply | undefined | Promise<Reply | undefined> = () => undefined;
  /** Fields that responses leave out. */
  hiddenFields: string[] = [];
  private idsGenerated = 0;

  private constructor(readonly server: ScriptedService) {
    server.onRequest(async (request) => (await this.fault(request)) ?? this.handle(request));
  }

  static async start(): Promise<UploadService> {
    return new UploadService(await ScriptedService.start());
  }

  get url(): string {
    return this.server.url;
  }

  close(): Promise<void> {
    return this.server.close();
  }

  /** Requests that start an upload of this type. */
  requestsFor(uploadType: 'multipart' | 'resumable'): ReceivedRequest[] {
    return this.server.requests.filter(({ query }) => query.get('uploadType') === uploadType);
  }

  /** Carries out a request. */
  handle(request: ReceivedRequest): ScriptedResponse {
    const { method, path, query } = request;
    if (path === '/drive/v3/files/generateIds') {
      return { body: { ids: Array.from({ length: 50 }, () => `id-${Date.now()}-${this.idsGenerated++}`) } };
    }
    if (query.get('uploadType') === 'multipart') return this.multipart(request);
    if (query.get('uploadType') === 'resumable') return this.startSession(request);
    if (path.startsWith('/session/')) return this.put(request);
    if (path === '/drive/v3/files') return { body: { files: this.files.map((file) => this.resource(file)) } };
    const file = this.files.find(({ id }) => path === `/drive/v3/files/${id}`);
    if (file && method === 'GET') return { body: selectFields(this.resource(file), query.get('fields')) };
    if (file && method === 'PATCH') {
      Object.assign(file.metadata, JSON.parse(request.body.toString()));
      return { body: this.resource(file) };
    }
    if (file && method === 'DELETE') {
      this.files.splice(this.files.indexOf(file), 1);
      return { status: 204 };
    }
    return { status: 404 };
  }

  private multipart(request: ReceivedRequest): ScriptedResponse {
    const contentType = /^multipart\/related; boundary=(.+)$/.exec(request.headers['content-type'] ?? '');
    const parts = request.body.toString('latin1').split(`--${contentType?.[1] ?? ''}`);
    const [, first = '', second = '', end] = parts;
    if (parts.length !== 4 || end !== '--\r\n') return { status: 400 };
    const json = Buffer.from(first.slice(first.indexOf('\r\n\r\n')), 'latin1').toString('utf8');
    const content = Buffer.from(second.slice(second.indexOf('\r\n\r\n') + 4, -2), 'latin1');
    const mimeType = /Content-Type: (.*)\r\n/.exec(second)?.[1] ?? '';
    return this.store({
      metadata: JSON.parse(json) as Metadata,
      content,
      mimeType,
      updates: updatedId(request),
    });
  }

  private startSession(request: ReceivedRequest): ScriptedResponse {
    const metadata = JSON.parse(request.body.toString()) as Metadata;
    if (this.files.some(({ id }) => id === metadata['id'])) return { status: 409 };
    const key = `s${this.sessions.size}`;
    this.sessions.set(key, {
      metadata,
      total: Number(request.headers['x-upload-content-length']),
      mimeType: request.headers['x-upload-content-type'] as string,
      content: Buffer.alloc(0),
      updates: updatedId(request),
    });
    return { headers: { Location: `${this.url}/session/${key}?upload_id=SESSION-SECRET` } };
  }

  private put(request: ReceivedRequest): ScriptedResponse {
    const session = this.sessions.get(request.path.slice('/session/'.length));
    if (!session) return { status: 404 };
    const range = request.headers['content-range'] ?? '';
    const match = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(range);
    if (match) {
      const [start, last, total] = match.slice(1).map(Number) as [number, number, number];
      const isComplete = total === session.total && last - start + 1 === request.body.length;
      if (!isComplete || start > session.content.length) return { status: 400 };
      session.content =
        start === 0 ? request.body : Buffer.concat([session.content.subarray(0, start), request.body]);
    } else if (range !== `bytes */${session.total}`) return { status: 400 };
    if (session.content.length < session.total) return incomplete(session.content.length);
    const created = this.files.find(({ id }) => id === session.metadata['id']);
    return created ? { body: this.resource(created) } : this.store(session);
  }

  private store({ metadata, content, mimeType, updates }: Omit<Session, 'total'>): ScriptedResponse {
    if (updates !== undefined) {
      const file = this.files.find(({ id }) => id === updates);
      if (!file) return { status: 404 };
      Object.assign(file, { content, mimeType, metadata: { ...file.metadata, ...metadata } });
      return { body: this.resource(file) };
    }
    const id = (metadata['id'] as string | undefined) ?? `made-${this.files.length}`;
    if (this.files.some((file) => file.id === id)) return { status: 409 };
    const file = { id, metadata, content, mimeType };
    this.files.push(file);
    return { body: this.resource(file) };
  }

  private resource({ id, metadata, content, mimeType }: StoredFile): Metadata {
    const resource = {
      ...metadata,
      id,
      mimeType,
      size: String(content.length),
      ...checksums(content),
    };
    return Object.fromEntries(Object.entries(resource).filter(([name]) => !this.hiddenFields.includes(name)));
  }
}

const known = new WeakMap<Buffer, Metadata>();

/** Computed once per content, because hashing takes most of the time of an upload. */
function checksums(content: Buffer): Metadata {
  const existing = known.get(content);
  if (existing) return existing;
  const computed = { md5Checksum: md5(content), sha256Checksum: sha256(content) };
  known.set(content, computed);
  return computed;
}

/** The 308 response of a session that has stored this many bytes. */
export function incomplete(stored: number): ScriptedResponse {
  return { status: 308, headers: stored > 0 ? { Range: `bytes=0-${stored - 1}` } : {} };
}

function updatedId({ method, path }: ReceivedRequest): string | undefined {
  return method === 'PATCH' ? path.split('/').pop() : undefined;
}

function selectFields(resource: Metadata, fields: string | null): Metadata {
  const names = fields?.split(',');
  if (!names || names.includes('*')) return resource;
  return Object.fromEntries(Object.entries(resource).filter(([name]) => names.includes(name)));
}
