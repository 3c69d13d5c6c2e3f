/** What Node-RED tells of its state in `runtime-event`. */
export interface RuntimeEvent {
  id?: string;
  payload?: { state?: string; deploy?: boolean; error?: string };
}

/** A deploy and a start that fails stop the flows too, and say so; a sign-in goes on over both. */
export function hasStopped({ id, payload }: RuntimeEvent): boolean {
  return (
    id === 'runtime-state' && payload?.state === 'stop' && !payload.deploy && payload.error === undefined
  );
}
