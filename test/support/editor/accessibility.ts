/** Checks a dialog with axe: https://github.com/dequelabs/axe-core/blob/develop/doc/API.md */
import { readFile } from 'node:fs/promises';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';

const SOURCE = require.resolve('axe-core');

/**
 * Checks the topmost dialog without the editor's frame around it.
 * @returns the serious and critical violations: rule, element and reason
 */
export async function seriousProblems(page: Page): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(await readFile(SOURCE, 'utf8'));
  const { violations, passes } = await page.evaluate(async () => {
    const { axe } = window as unknown as { axe: { run(context: object): Promise<AxeResults> } };
    // Node-RED's body has no height and hides its overflow, so axe would consider all text hidden.
    document.body.style.setProperty('height', '100vh');
    const dialog = [...document.querySelectorAll('.red-ui-tray')].at(-1)?.querySelector('.red-ui-tray-body');
    // Node-RED adds fields to every dialog as traps for password managers.
    const results = await axe.run({ include: dialog, exclude: ['[id^="red-ui-trap"]', '.red-ui-tabs'] });
    document.body.style.removeProperty('height');
    return results;
  });
  if (passes.length === 0) throw new Error('axe has checked nothing');
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) =>
      nodes.map(
        ({ target, any }) => `${id} ${target.join(' ')}: ${any.map(({ message }) => message).join('; ')}`,
      ),
    );
}
