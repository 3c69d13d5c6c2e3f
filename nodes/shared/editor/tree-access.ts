/**
 * Roles and states for Node-RED's treeList, which has none: without them a screen reader finds a list of lists in which
 * nothing can be chosen. https://www.w3.org/WAI/ARIA/apg/patterns/treeview/
 */

const ITEM = '[role="treeitem"]';
let items = 0;

/** Makes an element a tree's item. @param isOpen given for what can be opened */
export function treeItem(element: JQuery, branch?: { isOpen: boolean }): JQuery {
  element.attr({ role: 'treeitem', id: `cloud-drive-item-${++items}`, 'aria-selected': 'false' });
  return branch ? element.attr('aria-expanded', String(branch.isOpen)) : element;
}

/** Keeps the tree readable while it changes. */
export function readableTree(tree: JQuery, label: string): void {
  tree.attr({ role: 'tree', 'aria-label': label });
  withRoles(tree.children());
  const [element] = tree;
  if (element) {
    const observer = new MutationObserver((changes) => changes.forEach(follow));
    observer.observe(element, { subtree: true, childList: true, attributeFilter: ['class'] });
  }
  tree.on('treelistselect', (_event, { element }: { element?: JQuery }) => {
    tree.find(`${ITEM}[aria-selected="true"]`).attr('aria-selected', 'false');
    element?.attr('aria-selected', 'true');
    tree.attr('aria-activedescendant', element?.attr('id') ?? null);
  });
}

function follow({ type, target, addedNodes }: MutationRecord): void {
  if (type === 'childList') addedNodes.forEach((node) => withRoles($(node)));
  else opened($(target as HTMLElement));
}

/** The lists that the widget is made of are no lists to the reader, who gets to know by its level what an item is in. */
function withRoles(added: JQuery<Node>): void {
  const all = added.find('*').addBack();
  all.filter('ol, li').attr('role', 'none');
  all.filter('li').each((_index, row) => {
    const depth = $(row).parents('ol').length;
    $(row).children().children('.red-ui-treeList-label').children(ITEM).attr('aria-level', String(depth));
    // Node-RED 5.0 indents by so little that it can't be seen which folder a file is in.
    row.style.setProperty('--cloud-drive-depth', String(depth - 1));
  });
}

function opened(container: JQuery): void {
  const item = container.children('.red-ui-treeList-label').children(`${ITEM}[aria-expanded]`);
  if (item.length > 0) item.attr('aria-expanded', String(container.hasClass('expanded')));
}
