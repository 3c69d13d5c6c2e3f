/**
 * Adds the ARIA roles and states that Node-RED's treeList lacks. Without them a screen reader announces nested lists in
 * which nothing can be selected. https://www.w3.org/WAI/ARIA/apg/patterns/treeview/
 */

const TREE_ITEM = '[role="treeitem"]';
let itemCount = 0;

/** Makes an element a tree item. @param branch for items that can be expanded */
export function setTreeItemRole(element: JQuery, branch?: { isExpanded: boolean }): JQuery {
  element.attr({ role: 'treeitem', id: `cloud-drive-item-${++itemCount}`, 'aria-selected': 'false' });
  return branch ? element.attr('aria-expanded', String(branch.isExpanded)) : element;
}

/** Adds the roles, and updates them whenever the tree changes. */
export function makeTreeAccessible(tree: JQuery, label: string): void {
  tree.attr({ role: 'tree', 'aria-label': label });
  addRoles(tree.children());
  const [element] = tree;
  if (element) {
    const observer = new MutationObserver((changes) => changes.forEach(applyChange));
    observer.observe(element, { subtree: true, childList: true, attributeFilter: ['class'] });
  }
  tree.on('treelistselect', (_event, { element }: { element?: JQuery }) => {
    tree.find(`${TREE_ITEM}[aria-selected="true"]`).attr('aria-selected', 'false');
    element?.attr('aria-selected', 'true');
    tree.attr('aria-activedescendant', element?.attr('id') ?? null);
  });
}

function applyChange({ type, target, addedNodes }: MutationRecord): void {
  if (type === 'childList') addedNodes.forEach((node) => addRoles($(node)));
  else updateExpanded($(target as HTMLElement));
}

/** Hides the widget's list elements from screen readers; the level of an item expresses the nesting. */
function addRoles(added: JQuery<Node>): void {
  const all = added.find('*').addBack();
  all.filter('ol, li').attr('role', 'none');
  all.filter('li').each((_index, row) => {
    const depth = $(row).parents('ol').length;
    $(row)
      .children()
      .children('.red-ui-treeList-label')
      .children(TREE_ITEM)
      .attr('aria-level', String(depth));
    // Node-RED 5.0 indents too little to show which folder a file is in.
    row.style.setProperty('--cloud-drive-depth', String(depth - 1));
  });
}

function updateExpanded(container: JQuery): void {
  const item = container.children('.red-ui-treeList-label').children(`${TREE_ITEM}[aria-expanded]`);
  if (item.length > 0) item.attr('aria-expanded', String(container.hasClass('expanded')));
}
