/** A search box that searches while the user types. */

/** Milliseconds between the last input and the search. */
const DELAY = 400;

/** @returns a function that drops a search that is due */
export function searchWhileTyping(input: JQuery, search: () => void): () => void {
  let timer: number | undefined;
  input.on('input', () => {
    clearTimeout(timer);
    timer = window.setTimeout(search, DELAY);
  });
  // In a form, Enter would press a button.
  input.on('keydown', (event) => {
    if (event.key === 'Enter') event.preventDefault();
  });
  return () => clearTimeout(timer);
}
