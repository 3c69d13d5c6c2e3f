/** Closes servers, processes and clients one after the other. @param resources undefined if the start failed */
export async function closeAll(...resources: ({ close(): unknown } | undefined)[]): Promise<void> {
  for (const resource of resources) await resource?.close();
}
