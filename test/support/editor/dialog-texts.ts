/** What is wrong to the eye with the texts of the dialog that is open: a key in the place of a text, a text that is cut. */
import type { Locator, Page } from 'playwright-core';

/** A text that is missing shows its key, a value that is missing its placeholder. */
const KEYS = /^\s*(?:[a-z]+_?)+\.[a-z_.]+\s*$|node-red-contrib-cloud-drive\/\S*|__\w+__/gm;
/** The labels beside the fields have a column of this width; others go over the whole dialog. */
const COLUMN = 110;
const TWO_LINES = 30;
/** For the arrow of a field to choose in. */
const ARROW = 16;

/** @returns what is wrong, in words; `[]` where all of it can be read */
export async function textProblems(page: Page): Promise<string[]> {
  const form = page.locator('#node-config-dialog-edit-form, #dialog-form').last();
  const keys = (await form.innerText()).match(KEYS) ?? [];
  return [
    ...keys.map((key) => `key: ${key.trim()}`),
    ...(await labelsInTwoLines(form)),
    ...(await wider(form.locator('input[placeholder]:visible'), 0)),
    ...(await wider(form.locator('select:visible'), ARROW)),
    ...(await cut(form.locator('button, .red-ui-button, legend, summary'))),
  ];
}

async function labelsInTwoLines(form: Locator): Promise<string[]> {
  const labels = await form.locator('.form-row > label:visible').evaluateAll((found) =>
    found.map((label) => {
      const range = document.createRange();
      range.selectNodeContents(label);
      return {
        text: label.textContent.trim(),
        width: label.clientWidth,
        height: range.getBoundingClientRect().height,
      };
    }),
  );
  return labels
    .filter(({ width, height }) => width <= COLUMN && height > TWO_LINES)
    .map(({ text }) => `in two lines: ${text}`);
}

/** What a field offers, or says while it is empty, and has no room for. */
async function wider(fields: Locator, taken: number): Promise<string[]> {
  const texts = await fields.evaluateAll((found) =>
    (found as (HTMLInputElement | HTMLSelectElement)[]).flatMap((field) => {
      const style = getComputedStyle(field);
      const room = field.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
      const pen = document.createElement('canvas').getContext('2d')!;
      pen.font = style.font;
      const offered =
        field instanceof HTMLSelectElement
          ? [...field.options].map((option) => option.text)
          : [field.placeholder];
      return offered.map((text) => ({ text, over: pen.measureText(text).width - room }));
    }),
  );
  return texts
    .filter(({ over }) => over + taken > 1)
    .map(({ text, over }) => `too long by ${Math.ceil(over + taken)}: ${text}`);
}

async function cut(elements: Locator): Promise<string[]> {
  const texts = await elements.evaluateAll((found) =>
    found.map((element) => ({
      text: element.textContent.trim(),
      over: element.scrollWidth - element.clientWidth,
    })),
  );
  return texts.filter(({ over }) => over > 1).map(({ text }) => `cut: ${text}`);
}
