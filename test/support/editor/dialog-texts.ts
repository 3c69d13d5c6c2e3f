/** Finds visible problems in the texts of the open dialog: keys instead of texts, and texts that are cut off. */
import type { Locator, Page } from 'playwright-core';

/**
 * The editor shows the key of a missing text, and the placeholder of a missing parameter. Properties of the message, as
 * in the picture of sync folder, look like keys.
 */
const KEYS = /^\s*(?!msg\.)(?:[a-z]+_?)+\.[a-z_.]+\s*$|node-red-contrib-cloud-drive\/\S*|__\w+__/gm;
/** Pixels. Labels next to fields are at most this wide; other labels span the dialog. */
const LABEL_WIDTH = 150;
/** Pixels. Labels on one or two lines are lower. */
const THREE_LINES_HEIGHT = 50;
/** Pixels for the arrow of a select. */
const ARROW_WIDTH = 16;

/** @returns a description of each problem */
export async function textProblems(page: Page): Promise<string[]> {
  const form = page.locator('#node-config-dialog-edit-form, #dialog-form').last();
  // Values to copy, such as domains and URLs, look like keys.
  const values = await form.locator('code').allInnerTexts();
  const found = (await form.innerText()).match(KEYS) ?? [];
  const keys = found.filter((key) => !values.some((value) => value.includes(key.trim())));
  return [
    ...keys.map((key) => `key: ${key.trim()}`),
    ...(await longLabels(form)),
    ...(await tooWide(form.locator('input[placeholder]:visible'), 0)),
    ...(await tooWide(form.locator('select:visible'), ARROW_WIDTH)),
    ...(await cutOff(form.locator('button, .red-ui-button, legend, summary'))),
  ];
}

async function longLabels(form: Locator): Promise<string[]> {
  const labels = await form.locator('.form-row > label:visible').evaluateAll((found) =>
    found.map((label) => {
      const range = document.createRange();
      range.selectNodeContents(label);
      return {
        text: label.textContent.trim(),
        width: label.clientWidth,
        over: label.scrollWidth - label.clientWidth,
        height: range.getBoundingClientRect().height,
      };
    }),
  );
  return (
    labels
      // A label of one pixel is only for screen readers.
      .filter(({ width }) => width > 1)
      .filter(({ width, over, height }) => over > 0 || (width <= LABEL_WIDTH && height > THREE_LINES_HEIGHT))
      .map(({ text }) => `too long: ${text}`)
  );
}

/** Placeholders and options that are wider than their field. @param reserved pixels of the field */
async function tooWide(fields: Locator, reserved: number): Promise<string[]> {
  const texts = await fields.evaluateAll((found) =>
    (found as (HTMLInputElement | HTMLSelectElement)[]).flatMap((field) => {
      const style = getComputedStyle(field);
      const room = field.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
      const context = document.createElement('canvas').getContext('2d')!;
      context.font = style.font;
      const visibleTexts =
        field instanceof HTMLSelectElement
          ? [...field.options].map((option) => option.text)
          : [field.placeholder];
      return visibleTexts.map((text) => ({ text, over: context.measureText(text).width - room }));
    }),
  );
  return texts
    .filter(({ over }) => over + reserved > 1)
    .map(({ text, over }) => `too long by ${Math.ceil(over + reserved)}: ${text}`);
}

async function cutOff(elements: Locator): Promise<string[]> {
  const texts = await elements.evaluateAll((found) =>
    found.map((element) => ({
      text: element.textContent.trim(),
      over: element.scrollWidth - element.clientWidth,
    })),
  );
  return texts.filter(({ over }) => over > 1).map(({ text }) => `cut off: ${text}`);
}
