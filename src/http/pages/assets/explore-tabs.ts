// The tabs of the explore page, by mouse, by arrow keys, and by the address: which tab, and what was asked in
// it, stand there, so that a view can be kept, sent on, and come back to.

const TAB = 'tab'

type Tabs = {
  /** As the address says; asks again what was asked there. */
  restore(): void
}

/** @param opened - is told which tab is shown now */
export function createTabs(list: HTMLElement, opened: (name: string) => void): Tabs {
  const tabs = [...list.querySelectorAll<HTMLButtonElement>('[role="tab"]')]

  function open(chosen: HTMLButtonElement): void {
    for (const tab of tabs) {
      const isOpen = tab === chosen
      tab.setAttribute('aria-selected', String(isOpen))
      tab.tabIndex = isOpen ? 0 : -1
      panelOf(tab).hidden = !isOpen
    }
    opened(nameOf(chosen))
  }

  function choose(tab: HTMLButtonElement): void {
    open(tab)
    write(nameOf(tab), panelOf(tab).querySelector('form'))
  }

  function restore(): void {
    const query = new URLSearchParams(location.search)
    const tab = tabs.find((one) => nameOf(one) === query.get(TAB)) ?? tabs[0]!
    open(tab)
    const form = panelOf(tab).querySelector('form')
    const fields = [...(form?.querySelectorAll('input') ?? [])]
    for (const field of fields) field.value = query.get(field.name) ?? ''
    const isAsked = fields.length > 0 && fields.every(({ value }) => value !== '')
    if (isAsked && form?.dataset['again'] !== undefined) form.requestSubmit()
  }

  for (const tab of tabs) tab.addEventListener('click', () => choose(tab))
  list.addEventListener('keydown', (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
    const at = tabs.indexOf(event.target as HTMLButtonElement)
    if (step === undefined || at < 0) return
    const next = tabs[(at + step + tabs.length) % tabs.length]!
    choose(next)
    next.focus()
  })
  list.parentElement?.addEventListener('submit', (event) => {
    const form = event.target as HTMLFormElement
    const tab = tabs.find((one) => panelOf(one).contains(form))
    if (tab && form.dataset['again'] !== undefined) write(nameOf(tab), form)
  })
  addEventListener('popstate', restore)
  return { restore }
}

/** Only what reads is asked again by an address. */
function write(tab: string, form: HTMLFormElement | null): void {
  const query = new URLSearchParams({ [TAB]: tab })
  if (form?.dataset['again'] !== undefined) {
    for (const [name, value] of new FormData(form)) if (value !== '') query.set(name, String(value))
  }
  history.replaceState(null, '', `/explore?${query}`)
}

function nameOf(tab: HTMLElement): string {
  return tab.id.replace(/-tab$/, '')
}

function panelOf(tab: HTMLElement): HTMLElement {
  return document.getElementById(tab.getAttribute('aria-controls')!)!
}
