/** Distinguishes values typed into the dialog from those of the message, the context or the environment. */

/** A value that consists of `${NAME}`, or of `$(NAME)`, which Node-RED also accepts. */
const REFERENCE = /^\$(?:\{([^}]+)\}|\(([^)]+)\))$/;

/** @returns the name of the environment variable that Node-RED substitutes for the value; undefined for other values */
export function referencedVariable(value: unknown): string | undefined {
  const match = typeof value === 'string' ? REFERENCE.exec(value.trim()) : null;
  return match?.[1] ?? match?.[2];
}

export function isReference(value: unknown): boolean {
  return referencedVariable(value) !== undefined;
}

/** @param type of the TypedInput. @returns whether the value is known before a message arrives */
export function isLiteral(type: string, value: string): boolean {
  return type === 'drive' || (type === 'str' && !isReference(value));
}
