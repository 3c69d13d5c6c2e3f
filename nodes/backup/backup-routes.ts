/** Admin routes of the backup node's dialog: what a backup would include, and new key pairs. */
import type { NodeAPI } from 'node-red';
import type { Request, Response } from 'express';
import { type BackupEntry, generateAgeKeys, listBackupEntries } from '../../src/index';
import { REQUEST, invalidRequest, requestText } from '../shared/admin/admin-guard';
import { localFilesRoute } from '../shared/admin/local-files';
import { type Route, registerRoutes } from '../shared/admin/routes';
import type { BackupTestResponse } from '../shared/contract/dialog-api';
import { absolutePath } from '../shared/runtime/environment';

/** How many entries and skipped files the response lists. The others are only counted. */
const LISTED = 50;
/** ms; a user is waiting. */
const TIME_LIMIT = 20_000;
const MAX_LENGTH = 10_000;

export function registerBackupRoutes(RED: NodeAPI): void {
  const routes: Route[] = [
    {
      method: 'post',
      path: '/test',
      permission: 'flows.write',
      endpoint: (request) => testBackup(RED, request),
    },
    { method: 'post', path: '/key-pair', permission: 'flows.write', endpoint: () => generateAgeKeys() },
    localFilesRoute(RED),
  ];
  registerRoutes(RED, 'cloud-drive-backup', routes);
}

async function testBackup(RED: NodeAPI, request: Request): Promise<BackupTestResponse> {
  const { source, exclude } = testRequest(request.body as unknown);
  const sources = [absolutePath(RED, source)];
  const result: BackupTestResponse = { entries: 0, bytes: 0, first: [], skipped: 0, firstSkipped: [] };
  let isStopped = false as boolean;
  const stop = (): void => void (isStopped = true);
  const timer = setTimeout(stop, TIME_LIMIT);
  const { res: response } = request as { res?: Response };
  response?.once('close', stop);
  try {
    for await (const entry of listBackupEntries({ sources, exclude })) {
      if (isStopped) return { ...result, isStopped: true };
      add(result, entry);
    }
    return result;
  } finally {
    clearTimeout(timer);
    response?.off('close', stop);
  }
}

function add(result: BackupTestResponse, entry: BackupEntry): void {
  if ('skipped' in entry) {
    result.skipped += 1;
    if (result.firstSkipped.length < LISTED) result.firstSkipped.push(entry.path);
    return;
  }
  result.entries += 1;
  result.bytes += entry.bytes;
  if (result.first.length < LISTED) result.first.push(entry.path);
}

function testRequest(body: unknown): { source: string; exclude: string[] } {
  const given = REQUEST.object(body);
  const text = (name: string): string => {
    const value = requestText(given, name, MAX_LENGTH);
    if (value.includes('\0')) throw invalidRequest(name);
    return value;
  };
  const [source, exclude] = [text('source'), text('exclude')];
  if (source.trim() === '') throw invalidRequest('source');
  const lines = exclude.split('\n').map((line) => line.trim());
  return { source, exclude: lines.filter((line) => line !== '') };
}
