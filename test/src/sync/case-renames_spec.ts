import { testCaseRenames } from '../../support/sync/case-renames';
import { runsOf } from '../../support/run/long';

describe('renames in case', () => testCaseRenames(runsOf(15, 5)));
