// The client: finds who is signed in, shows the page that the address names, and follows links between its
// pages without loading anew.

import { language } from '../../sign-in/assets/language.ts'
import { type Reason, reasonOf } from '../../sign-in/assets/reasons.ts'
import { addressForSessions, restored, type Session } from '../../sign-in/assets/session.ts'
import { notificationsView, watchUnread } from './notifications/notifications.ts'
import { ask, CallError, me, SessionOverError, useSession } from './page/api.ts'
import { button, byId, el, link } from './page/dom.ts'
import { ago, dateAndTime } from './page/locale.ts'
import { goOnAt, markPlace } from './page/marks.ts'
import { lastPage, storeLastPage, worker } from './page/offline.ts'
import { problemWords } from './page/problems.ts'
import { toast, whenOver } from './page/toast.ts'
import type { View } from './page/view.ts'
import { t } from './page/words.ts'
import { loadPreferences } from './people/preferences.ts'
import { threadView } from './posts/thread.ts'
import { profileView } from './profile.ts'
import { following, listFeed } from './timeline/feeds.ts'
import { compose, prepareWriting, whenPosted } from './writing/writer.ts'

/** After it, what one has written is here. */
const POSTED_MS = 1_500

let session: Session | undefined
let current: View | undefined
let turn = 0
/** The address of the page that is shown: after "back", the browser's is another already. */
let shownAt = ''

await start()

async function start(): Promise<void> {
  if (isReadingLink()) return location.replace(`/read?link${location.hash}`)
  const other = addressForSessions()
  if (other) return location.replace(other)
  document.documentElement.lang = language()
  document.querySelector('.skip')!.textContent = t('skip')
  whenOver(() => {
    // What was typed in it is kept.
    byId<HTMLDialogElement>('compose').close()
    byId('nav').hidden = true
    useSession(undefined)
    session = undefined
    void showEntry('expired')
  })
  history.scrollRestoration = 'manual'
  addEventListener('popstate', () => void goBack())
  addEventListener('click', followLink)
  addEventListener('keydown', shortcuts)
  addEventListener('go', ((event: CustomEvent<string>) => void go(event.detail)) as EventListener)
  await enter()
  void worker()
}

/** The operator's reading links have a page of their own, which keeps them in this tab. */
function isReadingLink(): boolean {
  return location.hash.length > 1 || sessionStorage.getItem('reading-link') !== null
}

async function enter(): Promise<void> {
  const params = new URLSearchParams(location.search)
  const failed = params.get('failed') as Reason | null
  const name = params.get('name') ?? undefined
  if (failed || name !== undefined) history.replaceState(null, '', location.pathname)
  if (name !== undefined && (await entry()).mayStart()) return showEntry(undefined, name)
  try {
    session = await restored()
  } catch (error) {
    const reason = reasonOf(error)
    if (!navigator.onLine || reason === 'pds-away') return show(offlineView(t('why-pds-away')))
    return showEntry(reason === 'failed' ? 'expired' : reason)
  }
  if (!session) return showEntry(failed ?? undefined, name)
  useSession(session)
  try {
    await Promise.all([ask('app.bsky.feed.getTimeline', { limit: 1 }), loadPreferences()])
  } catch (error) {
    return refused(error)
  }
  showShell()
  if (failed) void sayFailed(failed)
  return go(location.pathname + location.search, false)
}

/** Not needed by those who are signed in. */
function entry(): Promise<typeof import('./enter/view.ts')> {
  return import('./enter/view.ts')
}

async function showEntry(failed: Reason | undefined, name?: string): Promise<void> {
  const { enterView } = await entry()
  return show(enterView(failed, name))
}

async function refused(error: unknown): Promise<void> {
  if (error instanceof SessionOverError) return showEntry('revoked')
  if (error instanceof CallError && error.status === 403)
    return show((await entry()).joinView(error, () => void enter()))
  return show(offlineView(problemWords(error)))
}

async function sayFailed(reason: Reason): Promise<void> {
  const { reasonWords } = await import('./enter/words.ts')
  toast(reasonWords(reason))
}

/** What the timeline showed last, plainly marked as old. */
function offlineView(problem: string): View {
  const stored = lastPage()
  const posts = stored?.posts.map(({ by, text, at }) =>
    el(
      'li',
      { class: 'post' },
      el('p', { class: 'aside' }, el('bdi', {}, by), ` · ${ago(at)}`),
      el('p', { class: 'text', dir: 'auto' }, text),
    ),
  )
  const time = stored && dateAndTime(stored.at)
  return {
    title: t('following'),
    node: el(
      'div',
      {},
      el(
        'p',
        { class: 'notice', role: 'status' },
        navigator.onLine ? problem : t('offline'),
        ' ',
        time && `${t('asOf', { time })} `,
        button(t('again'), () => location.reload()),
      ),
      el('ol', { class: 'feed' }, ...(posts ?? [])),
    ),
  }
}

function lists() {
  return import('./lists.ts')
}

function viewAt(path: string): View {
  const { pathname, searchParams } = new URL(path, location.origin)
  const [, , page = '', actor = '', , rkey = ''] = pathname.split('/').map(decodeURIComponent)
  if (page === 'profile' && rkey) return threadView(`at://${actor}/app.bsky.feed.post/${rkey}`)
  if (page === 'profile' && actor) return profileView(actor)
  if (page === 'notifications') return notificationsView()
  if (page === 'search') {
    return lazily(t('search'), async () => (await lists()).searchView(searchParams.get('q') ?? ''))
  }
  if (page === 'bookmarks') {
    return lazily(t('bookmarks'), async () => (await lists()).bookmarksView())
  }
  if (page === 'lists') return lazily(t('lists'), async () => (await lists()).listsView())
  if (page === 'list') return listFeed(searchParams.get('uri') ?? '')
  if (page === 'drafts') return lazily(t('drafts'), async () => (await lists()).draftsView())
  if (page === 'why') {
    return lazily(t('lossyWhy'), async () =>
      (await import('./why/view.ts')).whyView(searchParams.get('uri') ?? undefined),
    )
  }
  if (page === 'for-you' && ownFeed()) {
    return lazily(t('forYou'), async () =>
      (await import('./for-you/view.ts')).forYouView(ownFeed()!),
    )
  }
  if (page === 'settings') {
    return lazily(t('settings'), async () =>
      (await import('./settings/settings.ts')).settingsView(session!, searchParams.get('signed')),
    )
  }
  return following()
}

/** The feed's address, if this server makes one. */
function ownFeed(): string | undefined {
  return byId('main').dataset['forYou']
}

/** A page that is seldom looked at: its script is loaded then. */
function lazily(title: string, load: () => Promise<View>): View {
  const node = el('div', {})
  const made: View = { title, node }
  made.first = load().then((view) => {
    node.append(view.node)
    made.more = view.more
    return view.first
  })
  return made
}

async function go(path: string, isNew = true): Promise<void> {
  if (!session) return enter()
  markPlace(shownAt)
  if (isNew) history.pushState(null, '', path)
  await show(viewAt(path), isNew)
}

async function goBack(): Promise<void> {
  markPlace(shownAt)
  const path = location.pathname + location.search
  const view = session && viewAt(path)
  if (!view) return enter()
  await show(view)
  if (current === view) await goOnAt(path, view)
}

async function show(view: View, isNew = false): Promise<void> {
  turn++
  const mine = turn
  current?.dispose?.()
  current = view
  shownAt = location.pathname + location.search
  unfoldNav(false)
  document.title = `${view.title} · Slipstream`
  const heading = el('h1', { tabindex: -1 }, view.title)
  const main = byId('main')
  main.setAttribute('aria-busy', 'true')
  main.replaceChildren(heading, view.node)
  for (const item of document.querySelectorAll<HTMLAnchorElement>('#nav a')) {
    if (item.pathname === location.pathname) item.setAttribute('aria-current', 'page')
    else item.removeAttribute('aria-current')
  }
  if (isNew) {
    scrollTo(0, 0)
    heading.focus({ preventScroll: true })
  }
  try {
    await view.first
  } catch (error) {
    if (mine === turn)
      main.append(el('p', { class: 'problem', role: 'alert' }, problemWords(error)))
  }
  if (mine !== turn) return
  main.setAttribute('aria-busy', 'false')
  if (location.pathname === '/read') storeVisible()
}

function storeVisible(): void {
  const cards = [...document.querySelectorAll<HTMLElement>('.feed .post')].slice(0, 50)
  if (cards.length === 0) return
  storeLastPage(
    cards.map((card) => ({
      by: card.querySelector('.who')?.textContent ?? '',
      text: card.querySelector('.text')?.textContent ?? '',
      at: card.querySelector('time')?.dateTime ?? '',
    })),
  )
}

function showShell(): void {
  const nav = byId('nav')
  // On a phone, what does not fit into a row is a press away.
  const more = button('☰', () => unfoldNav(!nav.classList.contains('open')), {
    id: 'more',
    'aria-label': t('more'),
    'aria-expanded': 'false',
  })
  const to = (href: string, text: string, ...more: HTMLElement[]) => link(href, {}, text, ...more)
  nav.replaceChildren(
    to('/read', t('following')),
    ...(ownFeed() ? [to('/read/for-you', t('forYou'))] : []),
    to(
      '/read/notifications',
      t('notifications'),
      el('span', { id: 'unread', class: 'badge', hidden: true }),
    ),
    to('/read/search', t('search')),
    to('/read/bookmarks', t('bookmarks')),
    to('/read/lists', t('lists')),
    to('/read/drafts', t('drafts')),
    to(`/read/profile/${encodeURIComponent(me())}`, t('myProfile')),
    to('/read/settings', t('settings')),
    button(t('write'), () => compose(), { class: 'strong', id: 'write' }),
    more,
  )
  nav.hidden = false
  nav.setAttribute('aria-label', 'Slipstream')
  watchUnread()
  setTimeout(() => void prepareWriting().catch(() => {}), 1_500)
  whenPosted(() => setTimeout(() => void showPosted(), POSTED_MS))
}

function unfoldNav(isOpen: boolean): void {
  byId('nav').classList.toggle('open', isOpen)
  document.getElementById('more')?.setAttribute('aria-expanded', String(isOpen))
}

async function showPosted(): Promise<void> {
  if (current?.showsPosted) await go(location.pathname + location.search, false)
  else await current?.refresh?.().catch(() => {})
}

function followLink(event: MouseEvent): void {
  if (
    event.defaultPrevented ||
    event.button !== 0 ||
    event.metaKey ||
    event.ctrlKey ||
    event.shiftKey ||
    event.altKey
  )
    return
  const anchor = (event.target as Element).closest('a')
  if (
    !anchor ||
    anchor.target ||
    anchor.origin !== location.origin ||
    anchor.classList.contains('outside')
  )
    return
  if (!/^\/read(\/|$|\?)/.test(anchor.pathname)) return
  event.preventDefault()
  void go(anchor.pathname + anchor.search)
}

/** As in other readers: j and k between posts, n to write, r and l on the one in focus, / to search, z to undo. */
function shortcuts(event: KeyboardEvent): void {
  const target = event.target as HTMLElement
  if (
    event.ctrlKey ||
    event.metaKey ||
    event.altKey ||
    target.closest('input, textarea, select, dialog[open]')
  )
    return
  const posts = [...document.querySelectorAll<HTMLElement>('.post:not([hidden])')]
  const at = posts.findIndex((post) => post.contains(document.activeElement))
  const focused = posts[at]
  const step = (by: number) =>
    posts[Math.max(0, Math.min(posts.length - 1, at + by))]
      ?.querySelector<HTMLElement>('.when')
      ?.focus()
  const press = (kind: string) => focused?.querySelector<HTMLElement>(`.act-${kind}`)?.click()
  const keys: Record<string, () => void> = {
    j: () => step(1),
    k: () => step(-1),
    n: () => session && compose(),
    r: () => press('reply'),
    l: () => press('like'),
    '/': () => void go('/read/search'),
    z: () => document.querySelector<HTMLElement>('#toast button')?.click(),
  }
  const act = keys[event.key]
  if (!act || !session) return
  event.preventDefault()
  act()
}
