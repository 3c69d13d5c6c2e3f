/**
 * What stands in the dialog itself, and what only a message, the context or the environment brings. Decided by the runtime
 * and the editor alike.
 */

/** @returns whether a text is wholly `${NAME}`: Node-RED puts the value of that environment variable in its place */
export function isReference(value: string): boolean {
  return /^\$\{[^}]+\}$/.test(value);
}

/** @param type of the TypedInput. @returns whether its value stands in the dialog */
export function isLiteral(type: string, value: string): boolean {
  return type === 'drive' || (type === 'str' && !isReference(value));
}
