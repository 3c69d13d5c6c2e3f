/** Aligns the columns of a text table: the first to the left, the others to the right. @returns one line per row */
export function textTable(rows: readonly (readonly (string | number)[])[], gap = '  '): string[] {
  const cells = rows.map((row) => row.map(String));
  const widths = (cells[0] ?? []).map((_, column) =>
    Math.max(...cells.map((row) => row[column]?.length ?? 0)),
  );
  return cells.map((row) =>
    row
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join(gap)
      .trimEnd(),
  );
}
