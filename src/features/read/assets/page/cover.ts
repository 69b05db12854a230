// A cover over what a label, a muted word or the like says to hide, with the reason and a way to see it.

import { button, el } from './dom.ts'
import { t } from './words.ts'

/** @param mayShow - false where the member must not see it */
export function covered(content: HTMLElement, reason: string, mayShow = true): HTMLElement {
  content.hidden = true
  const toggle = button(t('show'), () => {
    content.hidden = !content.hidden
    toggle.textContent = t(content.hidden ? 'show' : 'hide')
    toggle.setAttribute('aria-expanded', String(!content.hidden))
  })
  toggle.setAttribute('aria-expanded', 'false')
  const words = el('span', { dir: 'auto' }, t('hiddenFor', { reason }))
  return el('div', { class: 'cover' }, el('p', {}, words, ' ', mayShow && toggle), content)
}
