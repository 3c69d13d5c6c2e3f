/** Properties of the nodes that remove old backups: how many are kept. 0 disables a rule. */
export const RETENTION_DEFAULTS = {
  keepNewest: 0 as number | string,
  keepDays: 0 as number | string,
  daily: 0 as number | string,
  weekly: 0 as number | string,
  monthly: 0 as number | string,
  yearly: 0 as number | string,
  minimum: 1 as number | string,
};
