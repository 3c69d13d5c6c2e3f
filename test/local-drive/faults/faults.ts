import type { NextFunction, Request, Response } from 'express';
import { contextOf } from '../http/request-context';
import type { RecordedRequest } from '../http/request-log';
import type { UploadSessions } from '../upload/upload-sessions';
import { FAULT_HANDLERS, type FaultSettings, type FaultTarget } from './handlers';

/** The requests to which a fault applies; absent conditions match all. */
export interface FaultMatch {
  method?: string;
  /** Tested on the path without the query. */
  path?: RegExp | string;
  /** Tested on the raw query. */
  query?: RegExp | string;
  when?: (request: RecordedRequest) => boolean;
  /** Starts with the nth matching request, counted from 1. */
  nth?: number;
}

/** A fault, the requests it applies to, and how often (once by default). */
export type Fault = {
  [Kind in keyof FaultSettings]: { kind: Kind; match?: FaultMatch; times?: number } & FaultSettings[Kind];
}[keyof FaultSettings];

export interface AddedFault {
  /** How often it was applied. */
  readonly hits: number;
  remove(): void;
}

interface ActiveFault {
  fault: Fault;
  matched: number;
  hits: number;
}

/** The faults of a service. Several can apply to the same request, in the order in which they were added. */
export class Faults {
  private entries: ActiveFault[] = [];

  /** @param sessions for the fault `sessionGone` */
  constructor(private readonly sessions?: () => UploadSessions) {}

  add(fault: Fault): AddedFault {
    if (!Object.hasOwn(FAULT_HANDLERS, fault.kind))
      throw new TypeError(`Unknown fault: ${String(fault.kind)}`);
    const entry: ActiveFault = { fault, matched: 0, hits: 0 };
    this.entries.push(entry);
    return {
      get hits() {
        return entry.hits;
      },
      remove: () => {
        this.entries = this.entries.filter((each) => each !== entry);
      },
    };
  }

  clear(): void {
    this.entries = [];
  }

  /** Applies all matching faults before the request reaches its handler. */
  readonly middleware = async (request: Request, response: Response, next: NextFunction): Promise<void> => {
    const { recorded, effects } = contextOf(request);
    const target: FaultTarget = { request, response, effects, sessions: this.sessions?.() };
    for (const entry of this.entries.filter((each) => applies(each, recorded))) {
      if ((await applyFault(entry.fault, target)) === 'responded') return;
    }
    next();
  };
}

function applies(entry: ActiveFault, request: RecordedRequest): boolean {
  const { match = {}, times = 1 } = entry.fault;
  if (!matches(match, request)) return false;
  entry.matched += 1;
  if (entry.matched < (match.nth ?? 1) || entry.hits >= times) return false;
  entry.hits += 1;
  return true;
}

function matches({ method, path, query, when }: FaultMatch, request: RecordedRequest): boolean {
  return (
    (method === undefined || method === request.method) &&
    (path === undefined || new RegExp(path).test(request.path)) &&
    (query === undefined || new RegExp(query).test(request.query)) &&
    (when === undefined || when(request))
  );
}

function applyFault<Kind extends keyof FaultSettings>(
  fault: { kind: Kind } & FaultSettings[Kind],
  target: FaultTarget,
) {
  return FAULT_HANDLERS[fault.kind](fault, target);
}
