/**
 * Pages that suites have closed, for the next suites. Loading the editor takes longer than most tests, so a page keeps it
 * and shows the flows of the next suite if both use the same Node-RED.
 */
import type { Page } from 'playwright-core';

const idle: Page[] = [];

/** Makes a page like a new one, as far as tests of the editor depend on it. */
export async function keepPage(page: Page): Promise<void> {
  page.removeAllListeners();
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  const isEditorClean = await page.evaluate(removeFlows);
  await page.context().clearCookies();
  await page.context().clearPermissions();
  if (!isEditorClean) await page.goto('about:blank');
  idle.push(page);
}

/** @param url of the editor that will be opened in it */
export function takePage(url: string): Page | undefined {
  const pages = idle.splice(0).filter((page) => !page.isClosed());
  return pages.find((page) => isAt(page, url)) ?? pages[0];
}

export function isKept(page: Page): boolean {
  return idle.includes(page);
}

/** @returns whether the editor is open in the page. Flows and nodes are behind the `#` of its URL */
export function isAt(page: Page, url: string): boolean {
  return page.url().split('#')[0] === `${url}/`;
}

/** Runs in the page. @returns whether nothing else of a suite is left in the editor */
function removeFlows(): boolean {
  // The page would also wait for its result, and report it to the next suite.
  const isSigningIn = Object.keys(sessionStorage).some((key) => key.startsWith('cloud-drive-sign-in:'));
  localStorage.clear();
  sessionStorage.clear();
  if (isSigningIn) return false;
  if ($('.red-ui-tray, .red-ui-editor-dialog:visible, [data-changed-by-test]').length > 0) return false;
  $('.red-ui-debug-msg').remove();
  for (const notification of document.querySelectorAll<HTMLDialogElement>('.red-ui-notification'))
    notification.close();
  RED.nodes.version(null);
  RED.nodes.clear();
  RED.history.clear();
  return true;
}

/** Shows the deployed flows, as the editor does when it opens another project. */
export function showFlows(page: Page): Promise<void> {
  return page.evaluate(async () => {
    const headers = { Accept: 'application/json' };
    const { rev, flows } = (await $.ajax({ url: 'flows', headers, cache: false })) as {
      rev: string;
      flows: object[];
    };
    const topic = 'notification/runtime-deploy';
    // Earlier deploys are announced before this one.
    await new Promise<void>((resolve) =>
      RED.comms.subscribe(topic, (_topic, { revision }) => revision === rev && resolve()),
    );
    RED.nodes.version(rev);
    RED.nodes.import(flows);
    RED.nodes.dirty(false);
    RED.view.redraw(true);
    const [first] = RED.nodes.getWorkspaceOrder();
    if (first !== undefined) RED.workspaces.show(first);
    // Those of nodes that weren't shown yet are lost: subscribing sends them again.
    RED.comms.subscribe('status/#', () => undefined);
  });
}
