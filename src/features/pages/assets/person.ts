// An account by its face and names, on the explore page.

import { cutTo, element, shortName } from './dom.ts'

export type Person = { did: string; handle: string; name: string; avatar?: string }

export function person(item: Person): HTMLElement {
  return element(
    'span',
    { class: 'person' },
    face(item),
    element(
      'span',
      {},
      element('b', { dir: 'auto' }, item.name || shortName(item)),
      ' ',
      item.name !== '' && shortName(item),
    ),
  )
}

/** A letter stands for who has no picture, or one that does not arrive. */
function face({ avatar, name, handle }: Person): HTMLElement {
  const initial = cutTo(name || handle, 1).toUpperCase()
  const letter = element('span', { class: 'monogram', 'aria-hidden': 'true' }, initial)
  if (avatar === undefined) return letter
  const picture = element('img', { src: avatar, alt: '', loading: 'lazy', width: 30, height: 30 })
  picture.addEventListener('error', () => picture.remove())
  letter.append(picture)
  return letter
}
