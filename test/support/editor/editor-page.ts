/** Node-RED's editor in a browser, as a user operates it. Records responses and errors. */
import type { BrowserContext, Locator, Page, Route } from 'playwright-core';
import type { SpecBrowser } from './browser';
import { NODE_RED_ERROR, noteConsoleError } from './console-errors';
import { isAt, keepPage, showFlows, takePage } from './idle-pages';
import { type Typed, exportedNode, unlabeledFields, setType, setTyped, typedValue } from './editor-fields';

export interface Loaded {
  url: string;
  body: string;
}

export interface OpenOptions {
  /** For a Node-RED with `adminAuth`. */
  logIn?: { username: string; password: string };
  /** The browser's language, such as `de-DE`. */
  locale?: string;
  cookies?: Cookies;
  /** Whether the page has never opened an editor, and nothing is cached. */
  isNew?: boolean;
}

type Cookies = Parameters<BrowserContext['addCookies']>[0];

const VIEWPORT = { width: 1280, height: 900 };

/** ms for one step in the browser; a busy machine may need far longer than an idle one. */
const STEP_TIMEOUT = 200_000;

export class EditorPage {
  /** All responses and notifications, without the editor's scripts, styles and images. */
  readonly responses: Loaded[] = [];
  /** Exceptions and `console.error`, except Node-RED's own. */
  readonly errors: string[] = [];
  /** Bodies that are being read. */
  private readonly reads = new Set<Promise<unknown>>();
  /** Resolves when the editor receives what Node-RED publishes. Debug messages before that are lost. */
  private connected: Promise<unknown> = Promise.resolve();

  private constructor(
    readonly page: Page,
    private readonly isOrdinary: boolean,
  ) {}

  /** Opens the editor without what other pages have stored, and waits for the palette and the flows. */
  static async open(
    browser: SpecBrowser,
    url: string,
    { logIn, locale = 'en-US', cookies = [], isNew = false }: OpenOptions = {},
  ): Promise<EditorPage> {
    const isOrdinary = !isNew && !logIn && locale === 'en-US' && cookies.length === 0;
    const kept = isOrdinary ? takePage(url) : undefined;
    await kept?.setViewportSize(VIEWPORT);
    // The editor of a Node-RED that has ended tries to connect to it until the page navigates.
    if (kept && !isAt(kept, url)) await kept.goto('about:blank');
    const editor = new EditorPage(kept ?? (await newPage(browser, locale, cookies)), isOrdinary);
    editor.record();
    if (isAt(editor.page, url)) {
      await showFlows(editor.page);
      return editor;
    }
    editor.awaitConnection();
    await editor.page.goto(`${url}/`);
    if (logIn) await editor.logIn(logIn);
    await editor.ready();
    return editor;
  }

  async reload(): Promise<void> {
    this.awaitConnection();
    await this.page.reload();
    await this.ready();
  }

  async close(): Promise<void> {
    if (this.isOrdinary && !this.page.isClosed()) await keepPage(this.page);
    else await this.page.context().close();
  }

  /** Opens a flow node's dialog, like a double click on it, which would also select it and show its help. */
  async openNode(id: string): Promise<void> {
    await this.page.evaluate((node) => RED.editor.edit(RED.nodes.node(node)), id);
    await this.opened('#node-dialog-ok');
  }

  /** Opens the collapsed sections of a node's dialog. */
  async openSections(): Promise<void> {
    const closed = this.page.locator('#dialog-form details:not([open]) > summary');
    while ((await closed.count()) > 0) await closed.first().click();
  }

  /** Opens the dialog of the account selected in a node's dialog. */
  async openAccount(): Promise<void> {
    await this.page.locator('#node-input-btn-account-edit').click();
    await this.opened('#node-config-dialog-ok');
  }

  /** Opens the dialog of a new account from a node's dialog. */
  async addAccount(): Promise<void> {
    await this.page.locator('#node-input-btn-account-add').click();
    await this.opened('#node-config-dialog-ok');
  }

  async closeDialog(
    button:
      '#node-dialog-ok' | '#node-dialog-cancel' | '#node-config-dialog-ok' | '#node-config-dialog-cancel',
  ): Promise<void> {
    // As the keyboard does it: the field that loses the focus reports its change first.
    await this.page.locator(button).evaluate((element: HTMLElement) => {
      element.focus();
      element.click();
    });
    await this.untilStill(button, false);
  }

  /** Deploys, and waits for the response. */
  async deploy(): Promise<void> {
    const response = this.page.waitForResponse((each) =>
      isDeployRequest(each.request().method(), each.url()),
    );
    await this.page.locator('#red-ui-header-button-deploy').click();
    await response;
    await this.page.locator('#red-ui-header-button-deploy.disabled').waitFor();
  }

  /** Presses the button of an Inject node. */
  async inject(id: string): Promise<void> {
    await this.page.locator(`[id="${id}"] .red-ui-flow-node-button-button`).click();
  }

  /** Opens the debug sidebar. @returns its latest message */
  async debugMessage(): Promise<string> {
    await this.page.evaluate(() => RED.sidebar.show('debug'));
    return this.page.locator('.red-ui-debug-msg').last().innerText();
  }

  /** {@link responses}, with those that the page has but whose bodies are still being read. */
  async allResponses(): Promise<readonly Loaded[]> {
    await Promise.all(this.reads);
    return this.responses;
  }

  /**
   * Holds the next request with this URL, whose response is then Node-RED's or the given one.
   * @returns a promise of its arrival, and a function that lets it continue and waits until the editor has the response
   */
  async holdNext(
    url: RegExp,
    json?: object,
  ): Promise<[arrived: Promise<void>, release: () => Promise<void>]> {
    let [arrive, open] = [(_: Route): void => undefined, (): void => undefined];
    const arrived = new Promise<Route>((resolve) => (arrive = resolve));
    const opened = new Promise<void>((resolve) => (open = resolve));
    const hold = async (route: Route): Promise<void> => {
      arrive(route);
      await opened;
      await (json ? route.fulfill({ json }) : route.continue());
    };
    await this.page.route(url, hold, { times: 1 });
    const release = async (): Promise<void> => {
      open();
      await (await (await arrived).request().response())?.finished();
      await this.page.waitForFunction(() => $.active === 0);
    };
    return [arrived.then(() => undefined), release];
  }

  /** Waits for a status below a node. */
  async status(id: string, text: string): Promise<void> {
    await this.page.locator(`[id="${id}"] .red-ui-flow-node-status-label`, { hasText: text }).waitFor();
  }

  /** @returns a heap snapshot of the page */
  async memory(): Promise<string> {
    const session = await this.page.context().newCDPSession(this.page);
    const chunks: string[] = [];
    session.on('HeapProfiler.addHeapSnapshotChunk', ({ chunk }) => chunks.push(chunk));
    // Collect garbage first, so that only referenced objects are in the snapshot.
    await session.send('HeapProfiler.collectGarbage');
    await session.send('HeapProfiler.takeHeapSnapshot');
    await session.detach();
    return chunks.join('');
  }

  exported(id: string): Promise<Record<string, unknown>> {
    return exportedNode(this.page, id);
  }

  typed(property: string): Promise<Typed> {
    return typedValue(this.page, property);
  }

  setTyped(property: string, value: Typed): Promise<void> {
    return setTyped(this.page, property, value);
  }

  setType(property: string, type: string): Promise<void> {
    return setType(this.page, property, type);
  }

  unlabeledFields(): Promise<string[]> {
    return unlabeledFields(this.page);
  }

  /** @returns the properties whose rows are visible */
  visibleRows(properties: string[]): Promise<string[]> {
    return this.page.evaluate(
      (names) =>
        names.filter((name) =>
          document.getElementById(`node-input-${name}`)?.closest('.form-row')?.checkVisibility(),
        ),
      properties,
    );
  }

  /** Enters a value, leaves the field, and waits for the problem below it. @param problem `''` for none */
  async enter(property: string, value: string, problem: string): Promise<void> {
    await this.field(property).fill(value);
    await this.page.keyboard.press('Tab');
    await this.problem(property, problem);
  }

  /** Waits for the problem below a field. @param text a part of it, `''` for none */
  async problem(property: string, text: string): Promise<void> {
    const hasText = text === '' ? /^$/ : text;
    await this.page
      .locator(`#node-input-${property}-problem`)
      .filter({ hasText })
      .waitFor({ state: text === '' ? 'attached' : 'visible' });
  }

  /** Shows another flow or a subflow. */
  async show(id: string): Promise<void> {
    await this.page.evaluate((workspace) => RED.workspaces.show(workspace), id);
  }

  field(property: string, of: 'node' | 'account' = 'node'): Locator {
    return this.page.locator(`#node-${of === 'account' ? 'config-' : ''}input-${property}`);
  }

  /** Waits until the editor has focused the first field of a dialog, which it does some time after showing it. */
  async opened(button: string): Promise<void> {
    await this.untilStill(`.red-ui-tray:focus-within ${button}`, true);
  }

  /** Waits until an element exists or is gone, and no dialog is sliding in or out. */
  private async untilStill(selector: string, exists: boolean): Promise<void> {
    await this.page.waitForFunction(
      ([wanted, isWanted]) => {
        const trays = [...document.querySelectorAll<HTMLElement>('.red-ui-tray')];
        const now = trays.map((tray) => tray.getBoundingClientRect().left).join();
        const store = window as unknown as { lastTrays?: string };
        const isStill =
          store.lastTrays === now &&
          document.querySelector('.ui-effects-wrapper, .ui-effects-placeholder') === null;
        store.lastTrays = now;
        return isStill && (document.querySelector(wanted) !== null) === isWanted;
      },
      [selector, exists] as const,
    );
  }

  private async logIn({ username, password }: { username: string; password: string }): Promise<void> {
    await this.page.locator('#node-dialog-login-username').fill(username);
    await this.page.locator('#node-dialog-login-password').fill(password);
    await this.page.locator('#node-dialog-login-submit').click();
  }

  private async ready(): Promise<void> {
    await this.page
      .locator('.red-ui-palette-node[data-palette-type="cloud-drive-about"]')
      .waitFor({ state: 'attached' });
    await this.page.locator('#red-ui-workspace-chart').waitFor();
    await this.page.locator('#red-ui-loading-progress').waitFor({ state: 'hidden' });
    await this.connected;
  }

  /** Before the page navigates. The editor that it shows until then may still try to connect, also in vain. */
  private awaitConnection(): void {
    const { page } = this;
    let isNext = false;
    page.on('framenavigated', (frame) => (isNext ||= frame === page.mainFrame()));
    this.connected = new Promise<void>((resolve) => {
      page.on('websocket', (socket) => {
        // The editor subscribes once it is connected.
        if (isNext && socket.url().endsWith('/comms')) socket.once('framesent', () => resolve());
      });
    });
  }

  private record(): void {
    const addError = (text: string): void => {
      noteConsoleError(text);
      if (!NODE_RED_ERROR.test(text)) this.errors.push(text);
    };
    this.page.on('pageerror', (error) => addError(String(error)));
    this.page.on('console', (message) => {
      if (message.type() === 'error') addError(`${message.text()} ${message.location().url}`);
    });
    this.page.on('websocket', (socket) => {
      socket.on('framereceived', ({ payload }) => {
        this.responses.push({ url: socket.url(), body: payload.toString() });
      });
    });
    this.page.on('response', (response) => {
      if (/\.(?:js|css|svg|png|woff2?|ttf)(?:\?|$)/.test(response.url())) return;
      const read = response.text().then(
        (body) => this.responses.push({ url: response.url(), body }),
        () => undefined,
      );
      this.reads.add(read);
      void read.finally(() => this.reads.delete(read));
    });
  }
}

async function newPage(browser: SpecBrowser, locale: string, cookies: Cookies): Promise<Page> {
  const context = await browser.newContext({ locale, viewport: VIEWPORT });
  context.setDefaultTimeout(STEP_TIMEOUT);
  await context.addInitScript(skipAnimations);
  await context.addInitScript(shortenTimers);
  await context.addCookies(cookies);
  return context.newPage();
}

/** Runs in the page. Animations take most of its CPU time, and tests wait until they end. */
function skipAnimations(): void {
  document.addEventListener('DOMContentLoaded', () => {
    const style = document.createElement('style');
    style.textContent = '*, ::before, ::after { transition: none !important; animation: none !important; }';
    document.head.append(style);
    (globalThis as unknown as { jQuery: { fx: { off: boolean } } }).jQuery.fx.off = true;
  });
}

/** Runs in the page. The editor waits up to 300 ms in several places of opening and closing a dialog. */
function shortenTimers(): void {
  const FACTOR = 10;
  type Timer = (task: TimerHandler, ms: number, ...args: unknown[]) => number;
  // tsx adds code that the page doesn't have to a function with a name.
  for (const name of ['setTimeout', 'setInterval'] as const) {
    const timer = window[name].bind(window) as Timer;
    const shortened: Timer[] = [(task, ms = 0, ...args) => timer(task, ms / FACTOR, ...args)];
    Object.assign(window, { [name]: shortened[0] });
  }
}

function isDeployRequest(method: string, url: string): boolean {
  return method === 'POST' && new URL(url).pathname.endsWith('/flows');
}
