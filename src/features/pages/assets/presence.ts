// Tracks whether the server responds. After some silence, the page shows since when in its heading, title and
// icon, and dims the last values.

import { byId, element } from './dom.ts'

/** Grace period after a broken connection, since restarts and proxies' pauses are harmless. */
const AWAY_AFTER_MS = 5_000

/** @param rank - of the heading that says so */
export function createPresence(rank: 'h1' | 'h2') {
  const { title } = document
  const icon = document.querySelector<HTMLLinkElement>('link[rel="icon"]')!
  const icons = { there: icon.getAttribute('href')!, away: icon.dataset['away']! }
  let heardAt = Date.now()
  let timer: ReturnType<typeof setTimeout> | undefined

  function show(isAway: boolean): void {
    if (document.body.hasAttribute('data-away') === isAway) return
    document.body.toggleAttribute('data-away', isAway)
    byId('state').hidden = isAway
    document.getElementById('away')?.remove()
    if (isAway) byId('state').before(notice(rank, heardAt))
    document.title = isAway ? `No answer since ${timeOf(heardAt)} · ${title}` : title
    icon.setAttribute('href', isAway ? icons.away : icons.there)
  }

  return {
    get heardAt(): number {
      return heardAt
    },
    heard(): void {
      heardAt = Date.now()
      clearTimeout(timer)
      timer = undefined
      show(false)
    },
    lost(): void {
      timer ??= setTimeout(() => show(true), AWAY_AFTER_MS)
    },
    /** Stops the timer while the page is not visible, as nothing is requested then. */
    rest(): void {
      clearTimeout(timer)
      timer = undefined
    },
  }
}

function notice(rank: 'h1' | 'h2', heardAt: number): HTMLElement {
  return element(
    'article',
    { class: 'finding bad', id: 'away', role: 'alert' },
    element(rank, {}, `No answer since ${timeOf(heardAt)}`),
    element(
      'p',
      {},
      'Either the server is down, or you cannot reach it. The data below is from then. This page resumes once the server answers again.',
    ),
  )
}

function timeOf(ms: number): string {
  return new Date(ms).toLocaleTimeString('en-GB')
}
