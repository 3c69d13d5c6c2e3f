/** Closes what all spec files of a process share. */

const endings: (() => Promise<unknown>)[] = [];

/** Runs a function after all tests. A process that runs files in parallel exits instead, which ends its children. */
export function atEnd(ending: () => Promise<unknown>): void {
  endings.push(ending);
}

export async function mochaGlobalTeardown(): Promise<void> {
  for (const ending of endings) await ending();
}
