/**
 * Switches the editor to a dark theme: Node-RED's own from version 5.0, otherwise colors as in popular dark themes.
 * https://nodered.org/docs/api/ui/themes/
 */
import type { Page } from 'playwright-core';

const COLORS: Readonly<Record<string, string>> = {
  'primary-background': '#1e1e1e',
  'secondary-background': '#121212',
  'secondary-background-hover': '#2b2b2b',
  'secondary-background-selected': '#222',
  'tertiary-background': '#1a1a1a',
  'primary-text-color': '#ccc',
  'secondary-text-color': '#999',
  'secondary-text-color-active': '#bbb',
  'secondary-text-color-inactive': '#8b949e',
  'text-color-error': '#ad1625',
  'text-color-success': '#3a3',
  'text-color-link': '#08c',
  'primary-border-color': '#3a3a3a',
  'secondary-border-color': '#4a4a4a',
  'form-background': '#121212',
  'form-text-color': '#ccc',
  'form-placeholder-color': '#777',
  'form-input-background': '#121212',
  'form-input-border-color': '#444',
  'form-button-background': '#222',
  'list-item-color': '#ccc',
  'list-item-secondary-color': '#999',
  'list-item-background': '#121212',
  'list-item-background-hover': '#2a2d2e',
  'list-item-background-selected': '#37373d',
  'workspace-button-background': '#1e1e1e',
  'workspace-button-background-hover': '#2b2b2b',
  'workspace-button-color': '#bbb',
  'workspace-button-color-hover': '#bbb',
};

export async function darken(page: Page): Promise<void> {
  const rules = Object.entries(COLORS).map(([name, color]) => `--red-ui-${name}: ${color};`);
  const installed = `:root { ${rules.join(' ')} }`;
  await page.evaluate((css) => {
    document.documentElement.dataset['changedByTest'] = '';
    const hasOwn = [...document.styleSheets].some((sheet) =>
      [...sheet.cssRules].some((rule) => rule.cssText.startsWith('html.nr-theme-dark {')),
    );
    if (hasOwn) document.documentElement.classList.add('nr-theme-dark');
    else document.head.append(Object.assign(document.createElement('style'), { textContent: css }));
  }, installed);
}
