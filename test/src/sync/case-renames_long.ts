import { testCaseRenames } from '../../support/sync/case-renames';

describe('many renames in case', function () {
  this.timeout(1_200_000);
  testCaseRenames(500);
});
