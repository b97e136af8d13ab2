/* Light or dark, and large type for a projector. */
import { pushButton } from './dom.js';
import { publish } from './shared.js';

export const isDark = () => document.body.classList.contains('dark');
const isPresenting = () => document.documentElement.classList.contains('sv-present');

/** How much larger figures are for a projector. */
const LARGE = 1.25;
/** What figures are scaled by now. */
export const figureScale = () => (isPresenting() ? LARGE : 1);

/** The button that changes the theme; 'dark' is published whoever changes it. */
export function themeButton() {
  const flip = () => document.body.classList.toggle('dark');
  const button = pushButton(null, flip, { class: 'sv-quiet' });
  const name = () => {
    button.textContent = isDark() ? '☀ Light' : '☾ Dark';
  };
  new MutationObserver(() => {
    name();
    publish('dark', isDark());
  }).observe(document.body, { attributes: true, attributeFilter: ['class'] });
  name();
  return button;
}
