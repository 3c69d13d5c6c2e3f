import { testCaseRenames } from '../../support/sync/case-renames';

describe('renames in case', () => testCaseRenames(15));
