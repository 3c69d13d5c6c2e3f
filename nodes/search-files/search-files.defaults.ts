/** Properties of the search-files node. They are in the contract because the account runs the dialog's search test. */
export { SEARCH_DEFAULTS as DEFAULTS, type SearchFilesConfig } from '../shared/contract/search-defaults';
