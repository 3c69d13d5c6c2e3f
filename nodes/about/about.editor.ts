/** The about node in the editor: the user and the storage quota of an account. */
import { registerFlowNode } from '../shared/editor/flow-node';
import { fieldList } from '../shared/editor/validators';
import { DEFAULTS } from './about.defaults';

registerFlowNode('about', DEFAULTS, {
  validators: { fields: fieldList },
});
