/** Labels stay on one line beside their fields, whatever the language: Node-RED gives them all the same width. */

/** px that the editor leaves to a label, and what its icon takes of them. */
const ROOM = 100;
const ICON = 18;
/** Of the size that labels have: hardly to be seen, and enough for most. */
const SNUG = 13 / 14;

/** Sets a label smaller where its words are too long. @param form selector of the dialog's form */
export function fitLabels(form: string): void {
  // The editor puts the words in once the dialog is prepared.
  setTimeout(() => $(`${form} .form-row:not(.cloud-drive-check) > label`).each((_, label) => fit(label)));
}

/** By the words themselves: in a row that is hidden just now they have no size. */
function fit(label: HTMLElement): void {
  const canvas = document.createElement('canvas').getContext('2d');
  if (!canvas) return;
  canvas.font = getComputedStyle(label).font;
  const words = canvas.measureText($(label).text().trim()).width;
  const icon = $(label).children('i').length > 0 ? ICON : 0;
  const isTooLong = words + icon > ROOM;
  const isSnug = isTooLong && words * SNUG + icon <= ROOM;
  $(label)
    .toggleClass('cloud-drive-snug', isSnug)
    .toggleClass('cloud-drive-tight', isTooLong && !isSnug);
}
