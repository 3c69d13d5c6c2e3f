/** Distinguishes values typed into the dialog from those of the message, the context or the environment. */

/** @returns whether the whole text is `${NAME}`, for which Node-RED substitutes an environment variable */
export function isReference(value: string): boolean {
  return /^\$\{[^}]+\}$/.test(value);
}

/** @param type of the TypedInput. @returns whether the value is known before a message arrives */
export function isLiteral(type: string, value: string): boolean {
  return type === 'drive' || (type === 'str' && !isReference(value));
}
