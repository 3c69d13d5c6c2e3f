/** Parses RFC 3339, in UTC if there is no zone. @returns milliseconds since 1970; undefined if invalid */
export function parseTimestamp(value: string): number | undefined {
  const match = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?)?$/i.exec(value);
  if (!match) return undefined;
  const milliseconds = Date.parse(match[1] && !match[4] ? `${value}Z` : value);
  return Number.isNaN(milliseconds) ? undefined : milliseconds;
}

/** RFC 3339 in UTC with milliseconds. */
export function formatTimestamp(milliseconds: number | undefined): string | undefined {
  return milliseconds === undefined ? undefined : new Date(milliseconds).toISOString();
}
