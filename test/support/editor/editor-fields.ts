/** What the tests read and set in a node's dialog by way of the editor's own functions. */
import type { Page } from 'playwright-core';

export interface Typed {
  type: string;
  value: string;
}

interface Editor {
  RED: { nodes: { createCompleteNodeSet(): Record<string, unknown>[] } };
  $: (selector: string) => { typedInput(method: 'type' | 'value', value?: string): string };
}

/** All flows as they would be deployed now. */
export function exportedNodes(page: Page): Promise<Record<string, unknown>[]> {
  return page.evaluate(() => {
    const { RED } = globalThis as unknown as Editor;
    return RED.nodes.createCompleteNodeSet();
  });
}

/** A node as it would be deployed now. */
export async function exportedNode(page: Page, id: string): Promise<Record<string, unknown>> {
  return (await exportedNodes(page)).find((node) => node['id'] === id) as Record<string, unknown>;
}

export function typedValue(page: Page, property: string): Promise<Typed> {
  return page.evaluate((name) => {
    const field = (globalThis as unknown as Editor).$(`#node-input-${name}`);
    return { type: field.typedInput('type'), value: field.typedInput('value') };
  }, property);
}

/** Chooses the type in the field's menu. */
export async function setType(page: Page, property: string, type: string): Promise<void> {
  const container = page.locator(`#node-input-${property} + .red-ui-typedInput-container`);
  await container.locator('.red-ui-typedInput-type-select').click();
  const option = page.locator(`.red-ui-typedInput-options:visible a[value="${type}"]`);
  // A click while the menu still slides down can be lost.
  await page.locator('.red-ui-typedInput-options:visible:not([style*="overflow"])').waitFor();
  await option.click();
  await option.waitFor({ state: 'hidden' });
}

/** Chooses the type in the field's menu, then types the value. */
export async function setTyped(page: Page, property: string, { type, value }: Typed): Promise<void> {
  const container = page.locator(`#node-input-${property} + .red-ui-typedInput-container`);
  await setType(page, property, type);
  // What was chosen on the drive is shown, not typed.
  if (type === 'drive') return setChosen(page, property, value);
  const input = container.locator('input.red-ui-typedInput-input');
  await input.fill(value);
  // It is checked when the field is left.
  await input.blur();
}

function setChosen(page: Page, property: string, id: string): Promise<void> {
  return page.evaluate(
    ([name, value]) => {
      (globalThis as unknown as Editor).$(`#node-input-${name}`).typedInput('value', value);
    },
    [property, id] as const,
  );
}

/** Fields that a screen reader could not name. */
export function namelessFields(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const form = document.querySelector('#node-config-dialog-edit-form, #dialog-form') as HTMLElement;
    const fields = [...form.querySelectorAll<HTMLInputElement>('input, select, textarea')];
    return fields
      .filter(
        (field) =>
          field.offsetParent !== null && field.type !== 'hidden' && !field.id.startsWith('red-ui-trap'),
      )
      .filter((field) => !field.labels?.length && !field.hasAttribute('aria-labelledby'))
      .map((field) => field.id || field.className);
  });
}
