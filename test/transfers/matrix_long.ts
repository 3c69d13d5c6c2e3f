/** Each transfer through each fault, through the client and through the nodes: the rows are in upload-rows, download-rows and part-rows. */
import { useNodeRed } from '../support/node-red/load';
import { tryAll } from './matrix';
import { theClient, theNodes, useFakeTime } from './performers';
import { EVERY_SIZE, FEW_SIZES } from './row';

describe('transfers through faults', () => tryAll({ sizes: EVERY_SIZE, open: theClient }));

describe('transfers of the nodes through faults', () => {
  useNodeRed();
  useFakeTime();
  tryAll({ sizes: FEW_SIZES, fits: ({ isMore }) => isMore !== true, open: theNodes });
});
