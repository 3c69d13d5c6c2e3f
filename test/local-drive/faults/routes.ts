import { Router } from 'express';
import { badRequest } from '../http/api-error';
import { readJsonBody } from '../http/request-body';
import type { Fault, Faults } from './faults';

/** Faults for other processes: POST /_faults adds one (JSON, patterns as strings), DELETE removes all. */
export function faultRoutes(faults: Faults): Router {
  const router = Router();
  router.post('/_faults', async (request, response) => {
    const fault = await readJsonBody(request);
    try {
      faults.add(fault as unknown as Fault);
    } catch (error) {
      throw badRequest(error instanceof Error ? error.message : String(error));
    }
    response.status(204).end();
  });
  router.delete('/_faults', (_request, response) => {
    faults.clear();
    response.status(204).end();
  });
  return router;
}
