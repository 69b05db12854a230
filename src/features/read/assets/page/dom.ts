// DOM helpers. Whatever comes from a record is only ever set as text or as a checked attribute, never as HTML.

type Handler = (event: Event) => void
type Attributes = Record<string, string | number | boolean | undefined | Handler>
export type Child = Node | string | undefined | false | null

/** Names that begin with `on` are listeners; undefined and false leave an attribute out. */
export function el<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name)
  for (const [key, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue
    if (typeof value === 'function') made.addEventListener(key.slice(2), value)
    else made.setAttribute(key, value === true ? '' : String(value))
  }
  made.append(...present(children))
  return made
}

export function present(children: readonly Child[]): (Node | string)[] {
  return children.filter((child) => child !== undefined && child !== false && child !== null)
}

/** @throws if the page has no such element */
export function byId<T extends HTMLElement = HTMLElement>(id: string): T {
  const found = document.getElementById(id)
  if (!found) throw new Error(`the page has no #${id}`)
  return found as T
}

export function button(
  text: string,
  onclick: Handler,
  attributes: Attributes = {},
): HTMLButtonElement {
  return el('button', { type: 'button', onclick, ...attributes }, text)
}

/** Links to other sites open beside this one and learn nothing of it; anything but http(s) is plain text. */
export function outsideLink(href: string, ...children: Child[]): HTMLElement {
  if (!isWebAddress(href)) return el('span', {}, ...children)
  return el(
    'a',
    { href, target: '_blank', rel: 'noopener noreferrer nofollow ugc', dir: 'auto' },
    ...children,
  )
}

export function isWebAddress(text: string): boolean {
  return /^https?:$/.test(URL.parse(text)?.protocol ?? '')
}

/** A link within the client, which the router takes over. */
export function link(
  href: string,
  attributes: Attributes,
  ...children: Child[]
): HTMLAnchorElement {
  return el('a', { href, ...attributes }, ...children)
}

let counter = 0
export function freshId(prefix: string): string {
  counter++
  return `${prefix}-${counter}`
}
