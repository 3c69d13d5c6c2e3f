/** Keeps labels on one line in every language: Node-RED gives all labels the same width. */

/** Pixels for a label in Node-RED's dialogs. */
const LABEL_WIDTH = 100;
const ICON_WIDTH = 18;
/** Ratio of the font sizes of `.cloud-drive-snug` and of labels. */
const SNUG_RATIO = 13 / 14;

/** Reduces the font of labels that are too long. @param form selector of the dialog's form */
export function shrinkLabels(form: string): void {
  // The editor translates the labels after oneditprepare.
  setTimeout(() => $(`${form} .form-row:not(.cloud-drive-check) > label`).each((_, label) => shrink(label)));
}

/** Measures the text on a canvas, because labels in hidden rows have no size. */
function shrink(label: HTMLElement): void {
  const canvas = document.createElement('canvas').getContext('2d');
  if (!canvas) return;
  canvas.font = getComputedStyle(label).font;
  const textWidth = canvas.measureText($(label).text().trim()).width;
  const iconWidth = $(label).children('i').length > 0 ? ICON_WIDTH : 0;
  const isTooLong = textWidth + iconWidth > LABEL_WIDTH;
  const isSnug = isTooLong && textWidth * SNUG_RATIO + iconWidth <= LABEL_WIDTH;
  $(label)
    .toggleClass('cloud-drive-snug', isSnug)
    .toggleClass('cloud-drive-tight', isTooLong && !isSnug);
}
