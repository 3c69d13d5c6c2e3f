/** The guide to a client at Google in the account's dialog. */
import 'should';
import { brandingValues } from '../../nodes/account/panel/google-console.editor';
import { ABOUT_FLOW, editorFixture } from '../support/editor/editor-fixture';
import type { EditorPage } from '../support/editor/editor-page';

const CONSOLE = 'https://console.cloud.google.com';

describe('the guide to a client', () => {
  const fixture = editorFixture(() => ABOUT_FLOW);
  let editor: EditorPage;

  before(async () => {
    ({ editor } = fixture);
    await editor.openNode('about');
    await editor.addAccount();
  });

  const guide = () => editor.page.locator('#cloud-drive-guide');
  const toggle = (name: string) => guide().getByRole('button', { name, exact: true });
  const expandedSteps = () =>
    guide()
      .getByRole('button', { expanded: true })
      .evaluateAll((all) => all.map((each) => each.getAttribute('aria-label')));
  const links = () =>
    guide()
      .locator('a')
      .evaluateAll((all) => all.map((each) => (each as HTMLAnchorElement).href));

  it('the guide links to each page of the console in a new tab, Branding before Publish', async () => {
    (await guide().getAttribute('open'))!.should.equal('');
    (await links()).should.eql([
      `${CONSOLE}/projectcreate`,
      `${CONSOLE}/flows/enableapi?apiid=drive.googleapis.com`,
      `${CONSOLE}/auth/overview`,
      `${CONSOLE}/auth/branding`,
      `${CONSOLE}/auth/audience`,
      `${CONSOLE}/auth/clients/create`,
    ]);
    const targets = await guide()
      .locator('a')
      .evaluateAll((all) => all.map((each) => `${each.getAttribute('target')} ${each.getAttribute('rel')}`));
    new Set(targets).should.eql(new Set(['_blank noopener noreferrer']));
  });

  it('the field for the client JSON is in view below the guide, of which one step is expanded', async () => {
    const { page } = editor;
    const size = page.viewportSize()!;
    await page.setViewportSize({ width: 1440, height: 900 });
    const body = (await page.locator('.red-ui-tray-body').last().boundingBox())!;
    const chooseFile = (await page.locator('#cloud-drive-client-json-choose').boundingBox())!;
    (chooseFile.y + chooseFile.height).should.be.belowOrEqual(body.y + body.height);
    (await expandedSteps()).should.eql(['Create a project']);
    await page.setViewportSize(size);
  });

  it('checking a step expands the next one, and a link that is opened expands its own', async () => {
    await guide().getByRole('checkbox', { name: 'Create a project' }).check();
    (await expandedSteps()).should.eql(['Enable the Google Drive API']);
    const link = guide().getByRole('link', { name: 'Publish the app' });
    await link.evaluate((element) => element.addEventListener('click', (event) => event.preventDefault()));
    await link.click();
    (await expandedSteps()).should.eql(['Publish the app']);
    await guide().getByRole('checkbox', { name: 'Create a project' }).uncheck();
  });

  it('the guide asks for pages of your own for Branding, because the package has no repository', async () => {
    const hint = guide().getByText('Use public pages of your own');
    await hint.waitFor({ state: 'hidden' });
    await toggle('Fill in Branding').click();
    await hint.waitFor();
  });

  it('the step of the client says what to keep, and to leave the question about agents off', async () => {
    await toggle('Create the client and download its JSON').click();
    await guide().getByText('Keep the JSON outside this machine').waitFor();
    await guide().getByText('“Use this client for an AI-powered agent?”, leave it off').waitFor();
  });

  it('the guide has the domain and the pages of a repository for Branding', () => {
    brandingValues('https://github.com/someone/drive').should.eql([
      ['domain', 'github.com'],
      ['home_page', 'https://github.com/someone/drive'],
      ['privacy', 'https://github.com/someone/drive/blob/HEAD/PRIVACY.md'],
    ]);
  });

  it('the links open the project of the client once its ID is known', async () => {
    const id = editor.field('clientId', 'account');
    await id.fill('123456789012-abc.apps.googleusercontent.com');
    const [create, api, ...others] = await links();
    create!.should.equal(`${CONSOLE}/projectcreate`);
    api!.should.equal(`${CONSOLE}/flows/enableapi?apiid=drive.googleapis.com&project=123456789012`);
    for (const href of others) href.should.endWith('?project=123456789012');
    await id.fill('client.example');
    (await links()).filter((href) => href.includes('project=')).should.eql([]);
  });

  it('the guide is not shown for another service', async () => {
    await editor.field('service', 'account').selectOption('custom');
    await guide().waitFor({ state: 'hidden' });
    await editor.field('service', 'account').selectOption('google');
    await guide().waitFor();
  });

  it('the browser remembers the checked steps, and no flow contains them', async () => {
    await guide().getByRole('checkbox', { name: 'Fill in Branding' }).check();
    await editor.closeDialog('#node-config-dialog-cancel');
    await editor.addAccount();
    const states = await guide()
      .getByRole('checkbox')
      .evaluateAll((all) => all.map((each) => (each as HTMLInputElement).checked));
    states.should.eql([false, false, false, true, false, false]);
    await guide().getByRole('checkbox', { name: 'Fill in Branding' }).uncheck();
    await editor.closeDialog('#node-config-dialog-cancel');
  });
});
