/** The ways to sign in, and which of them is offered first. */
import { addressProblem } from '../../shared/editor/url-check';
import type { ClientWay } from '../../shared/editor/client-json';
import { sharedText } from '../../shared/editor/texts';
import { type Part, box, copyButton, hintText, newId } from './panel-parts.editor';
import { needsBrowser } from './scope-choice.editor';

/** A code; the browser back to Node-RED; the browser to nowhere, its address pasted. */
export type Way = 'device' | 'browser' | 'paste';

const WAYS: readonly Way[] = ['device', 'browser', 'paste'];

/** Where this Node-RED is for the browser that shows its editor, whatever proxy or root it is behind. */
export function callbackAddress(): string {
  return new URL('cloud-drive-account/callback', document.baseURI.replace(/[?#].*$/, '')).href;
}

/** RFC 8252 7.3: nobody listens there, so that the browser stays at the address with the code in it. */
export function loopbackAddress(): string {
  const [random = 0] = crypto.getRandomValues(new Uint16Array(1));
  return `http://127.0.0.1:${49_152 + (random % 16_384)}/`;
}

/** Services send a browser back only where nobody can listen in. */
function canComeBack(): boolean {
  return addressProblem(callbackAddress()) === undefined;
}

export class SignInWays {
  private chosen: Way | undefined;
  private byRecord: Way | undefined;
  private shown: { way: Way; input: Part; row: Part }[] = [];

  /** What the client's record says about its type. */
  hint(way: ClientWay | undefined): void {
    this.byRecord = way;
    this.chosen = undefined;
    this.update();
  }

  get way(): Way {
    const wanted = this.chosen ?? this.byRecord;
    if (wanted && this.isPossible(wanted)) return wanted;
    if (this.isPossible('device')) return 'device';
    return canComeBack() && this.byRecord !== 'paste' ? 'browser' : 'paste';
  }

  /** Something in the form has changed. */
  update(): void {
    for (const { way, input, row } of this.shown) {
      input.prop({ checked: way === this.way, disabled: !this.isPossible(way) });
      row.toggleClass('cloud-drive-disabled', !this.isPossible(way));
      row.find('.cloud-drive-hint').text(this.hintFor(way));
    }
  }

  view(): Part {
    const group = newId();
    this.shown = WAYS.map((way) => this.row(way, group));
    const title = $('<legend>').text(sharedText('way.title'));
    const element = $('<fieldset class="cloud-drive-ways">').append(
      title,
      ...this.shown.map(({ row }) => row),
    );
    this.update();
    return element;
  }

  private row(way: Way, name: string): { way: Way; input: Part; row: Part } {
    const [id, hintId] = [newId(), newId()];
    const input = $('<input type="radio">').attr({ id, name, 'aria-describedby': hintId });
    input.on('change', () => {
      this.chosen = way;
    });
    const label = $('<label>')
      .attr('for', id)
      .text(sharedText(`way.${way}`));
    const text = $('<div>').append(label, hintText('', hintId));
    if (way === 'browser' && canComeBack()) {
      const address = $('<code>').text(callbackAddress());
      text.append(box('address', address, copyButton(callbackAddress())));
    }
    return { way, input, row: box('option', input, text) };
  }

  private isPossible(way: Way): boolean {
    if (way === 'device') return !needsBrowser();
    return way === 'paste' || canComeBack();
  }

  private hintFor(way: Way): string {
    if (way === 'device' && needsBrowser()) return sharedText('way.device_not');
    if (way === 'browser' && !canComeBack())
      return sharedText('way.browser_not', { address: location.origin });
    return sharedText(`way.${way}_hint`);
  }
}
