// The reading page: shows a timeline, a thread or a profile, by URL, made only from our own answers.

import { byId, element } from './dom.ts'
import { ask, forgetLink, hasText, readerDid, rememberLink } from './read-link.ts'
import { type FeedItem, type Post, postCard, type ThreadNode, threadCards } from './read-post.ts'
import { type Profile, profileCard } from './read-profile.ts'

type Page = { feed: FeedItem[]; cursor?: string }
type Where = { post?: string; profile?: string }

const NO_LINK =
  'This is no reading link, or only a part of one: the operator’s has three parts with dots between, the first of them “read”. Copy all of it.'

/** Identifies the latest view, so that late answers for earlier ones are dropped. */
let turn = 0
let older: (() => Promise<void>) | undefined

byId('enter-form').addEventListener('submit', (event) => {
  event.preventDefault()
  rememberLink(String(new FormData(event.target as HTMLFormElement).get('link')))
  void begin()
})
byId('leave').addEventListener('click', () => {
  forgetLink()
  history.replaceState(null, '', '/read')
  void begin()
})
byId('again').addEventListener('click', () => void show(false))
byId('more').addEventListener('click', () => void guarded(turn, async () => older?.()))
document.addEventListener('click', (event) => {
  const link = (event.target as Element).closest('a')
  if (!link || event.defaultPrevented || !isView(link)) return
  event.preventDefault()
  if (event.metaKey || event.ctrlKey || event.shiftKey) return openBeside(link)
  history.pushState(null, '', link.href)
  void show(true)
})
document.addEventListener('auxclick', (event) => {
  const link = (event.target as Element).closest('a')
  if (event.button !== 1 || !link || !isView(link)) return
  event.preventDefault()
  openBeside(link)
})
addEventListener('popstate', () => void show(true))

if (!/[?&](post|profile)=/.test(location.search))
  history.replaceState(null, '', `/read${location.hash}`)
if (location.hash.length > 1) {
  rememberLink(location.hash.slice(1))
  // The link is a secret: remove it from the URL and the history.
  history.replaceState(null, '', location.pathname + location.search)
}
void begin()

function isView(link: HTMLAnchorElement): boolean {
  return byId('reader').contains(link) && link.pathname === '/read'
}

/** A tab that the browser opens by itself would not know the reader: it gets no sessionStorage. */
function openBeside({ href }: HTMLAnchorElement): void {
  open(href, '_blank')
}

async function begin(): Promise<void> {
  const isIn = readerDid() !== undefined
  byId('enter').hidden = isIn
  byId('reader').hidden = !isIn
  byId('enter-problem').textContent = isIn || !hasText() ? '' : NO_LINK
  byId('view').replaceChildren()
  if (isIn) await show(false)
}

function whereNow(): Where {
  const query = new URLSearchParams(location.search)
  return { post: query.get('post') ?? undefined, profile: query.get('profile') ?? undefined }
}

/** @param moved - moves the focus to the new heading, as after a page load. */
async function show(moved: boolean): Promise<void> {
  const mine = ++turn
  const { post, profile } = whereNow()
  const view = byId('view')
  view.setAttribute('aria-busy', 'true')
  byId('more').hidden = true
  byId('home').hidden = post === undefined && profile === undefined
  older = undefined
  await guarded(mine, async () => {
    if (post !== undefined) await showThread(mine, post)
    else if (profile !== undefined) await showProfile(mine, profile)
    else await showTimeline(mine)
    if (mine !== turn) return
    const heading = view.querySelector('h1')
    document.title = `${heading?.textContent ?? 'Read'} · Slipstream`
    if (moved) {
      scrollTo(0, 0)
      heading?.focus()
    }
  })
  if (mine === turn) view.setAttribute('aria-busy', 'false')
}

async function guarded(mine: number, work: () => Promise<void>): Promise<void> {
  byId('problem').textContent = ''
  try {
    await work()
  } catch (error) {
    if (mine === turn) byId('problem').textContent = (error as Error).message
  }
}

async function showTimeline(mine: number): Promise<void> {
  const did = readerDid()
  const me = await ask<Profile>('app.bsky.actor.getProfile', { actor: did })
  byId('as').textContent = `as @${me.handle}`
  byId('as').title = `@${me.handle}`
  await showFeed(mine, [title('Timeline')], (cursor) =>
    ask<Page>('app.bsky.feed.getTimeline', { limit: '30', cursor }),
  )
}

async function showProfile(mine: number, actor: string): Promise<void> {
  const profile = await ask<Profile>('app.bsky.actor.getProfile', { actor })
  const card = profileCard(profile, title(profile.displayName || `@${profile.handle}`), (list) =>
    guarded(mine, async () => {
      const query = { actor: profile.did, limit: '50' }
      const found = await ask<{ followers: Profile[] }>('app.bsky.graph.getKnownFollowers', query)
      list(found.followers)
    }),
  )
  await showFeed(mine, [card], (cursor) =>
    ask<Page>('app.bsky.feed.getAuthorFeed', { actor, limit: '30', cursor }),
  )
}

async function showFeed(
  mine: number,
  above: HTMLElement[],
  read: (cursor?: string) => Promise<Page>,
): Promise<void> {
  const list = element('ol', { class: 'posts' })
  let cursor: string | undefined
  const readOn = async () => {
    const page = await read(cursor)
    if (mine !== turn) return
    cursor = page.cursor
    list.append(...page.feed.map((item) => element('li', {}, postCard(item.post, item.reason))))
    byId('more').hidden = cursor === undefined
  }
  await readOn()
  if (mine !== turn) return
  older = readOn
  const isEmpty = list.childElementCount === 0
  const words = isEmpty && element('p', { class: 'empty' }, 'Nothing here yet.')
  byId('view').replaceChildren(...above, words || list)
}

async function showThread(mine: number, uri: string): Promise<void> {
  const query = { uri, depth: '6', parentHeight: '30' }
  const { thread } = await ask<{ thread: ThreadNode }>('app.bsky.feed.getPostThread', query)
  if (mine !== turn) return
  const author = (thread.post as Post | undefined)?.author
  const words = author ? `Post by ${author.displayName || `@${author.handle}`}` : 'Post'
  byId('view').replaceChildren(title(words), threadCards(thread))
}

function title(text: string): HTMLElement {
  return element('h1', { tabindex: -1, dir: 'auto' }, text)
}
