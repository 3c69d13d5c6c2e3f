/** Payload of Node-RED's `runtime-event`. */
export interface RuntimeEvent {
  id?: string;
  payload?: { state?: string; deploy?: boolean; error?: string };
}

/** Deploys and failed starts stop the flows too, but not pending sign-ins. */
export function hasRuntimeStopped({ id, payload }: RuntimeEvent): boolean {
  return (
    id === 'runtime-state' && payload?.state === 'stop' && !payload.deploy && payload.error === undefined
  );
}
