/** Reads and sets fields of a node's dialog through the editor's own functions. */
import type { Page } from 'playwright-core';

export interface Typed {
  type: string;
  value: string;
}

/** All nodes as they would be deployed. */
export function exportedNodes(page: Page): Promise<Record<string, unknown>[]> {
  return page.evaluate(() => RED.nodes.createCompleteNodeSet());
}

/** A node as it would be deployed. */
export async function exportedNode(page: Page, id: string): Promise<Record<string, unknown>> {
  return (await exportedNodes(page)).find((node) => node['id'] === id) as Record<string, unknown>;
}

export function typedValue(page: Page, property: string): Promise<Typed> {
  return page.evaluate((name) => {
    const field = $(`#node-input-${name}`);
    return { type: field.typedInput('type'), value: field.typedInput('value') };
  }, property);
}

/** Selects a type in the menu of a TypedInput. */
export async function setType(page: Page, property: string, type: string): Promise<void> {
  const container = page.locator(`#node-input-${property} + .red-ui-typedInput-container`);
  await container.locator('.red-ui-typedInput-type-select').click();
  const option = page.locator(`.red-ui-typedInput-options:visible a[value="${type}"]`);
  // A click can be lost while the menu is sliding.
  await page.locator('.red-ui-typedInput-options:visible:not([style*="overflow"])').waitFor();
  await option.click();
  await option.waitFor({ state: 'hidden' });
}

/** Selects a type as its menu does, and enters the value. */
export function setTyped(page: Page, property: string, { type, value }: Typed): Promise<void> {
  return page.evaluate(
    ([name, newType, newValue]) => {
      const field = $(`#node-input-${name}`);
      field.typedInput('type', newType);
      const shown = field.next().find<HTMLInputElement>('input.red-ui-typedInput-input');
      // Values of the type `drive` can't be typed.
      if (newType === 'drive') field.typedInput('value', newValue);
      // The editor validates on blur.
      else shown.trigger('focus').val(newValue).trigger('input').trigger('change').trigger('blur');
    },
    [property, type, value] as const,
  );
}

/** Fields without an accessible name. */
export function unlabeledFields(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const form = document.querySelector('#node-config-dialog-edit-form, #dialog-form') as HTMLElement;
    const fields = [...form.querySelectorAll<HTMLInputElement>('input, select, textarea')];
    return fields
      .filter(
        (field) =>
          field.offsetParent !== null && field.type !== 'hidden' && !field.id.startsWith('red-ui-trap'),
      )
      .filter((field) => !field.labels?.length && !field.matches('[aria-label], [aria-labelledby]'))
      .map((field) => field.id || field.className);
  });
}
