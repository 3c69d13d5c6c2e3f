/** Pages of Google's console, as of October 2026. https://console.cloud.google.com/ */

const PAGES = {
  project: 'projectcreate',
  api: 'flows/enableapi?apiid=drive.googleapis.com',
  app: 'auth/overview',
  branding: 'auth/branding',
  audience: 'auth/audience',
  clients: 'auth/clients',
  newClient: 'auth/clients/create',
  service_accounts: 'iam-admin/serviceaccounts',
} as const;

export type ConsolePage = keyof typeof PAGES;

/** Of the admin console of an organization. https://support.google.com/a/answer/162106 */
export const DELEGATION_PAGE = 'https://admin.google.com/ac/owl/domainwidedelegation';

/** @param clientId determines the project that the page shows; without one, the project that was used last */
export function consoleUrl(page: ConsolePage, clientId: string): string {
  const url = new URL(PAGES[page], 'https://console.cloud.google.com/');
  // A client ID starts with the project number.
  const [, project] = /^(\d+)-/.exec(clientId.trim()) ?? [];
  if (project !== undefined && page !== 'project') url.searchParams.set('project', project);
  return url.href;
}

/**
 * What the page Branding asks for: the pages of this project, whose privacy policy describes what the client does.
 * @param repository its web page @returns text key and value; none without a repository
 */
export function brandingValues(repository: string): ['domain' | 'home_page' | 'privacy', string][] {
  if (repository === '') return [];
  return [
    ['domain', new URL(repository).hostname],
    ['home_page', repository],
    ['privacy', `${repository}/blob/HEAD/PRIVACY.md`],
  ];
}
