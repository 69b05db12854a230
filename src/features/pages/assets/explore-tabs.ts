// Tabs of the explore page, switched by mouse, arrow keys or URL. The URL holds the tab and its query, so
// that a view can be bookmarked, shared and revisited.

const TAB = 'tab'

type Tabs = {
  /** Restores the tab from the URL, and repeats its query. */
  restore(): void
}

/** @param opened - called with the name of the tab now shown */
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
    const tab = tabs.find((tab) => nameOf(tab) === query.get(TAB)) ?? tabs[0]!
    open(tab)
    const form = panelOf(tab).querySelector('form')
    const fields = [...(form?.querySelectorAll('input') ?? [])]
    for (const field of fields) field.value = query.get(field.name) ?? ''
    const isRequested = fields.length > 0 && fields.every(({ value }) => value !== '')
    if (isRequested && form?.dataset['again'] !== undefined) form.requestSubmit()
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
    const tab = tabs.find((tab) => panelOf(tab).contains(form))
    if (tab && form.dataset['again'] !== undefined) write(nameOf(tab), form)
  })
  addEventListener('popstate', restore)
  return { restore }
}

/** Only read-only forms are written to the URL and repeated from it. */
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
