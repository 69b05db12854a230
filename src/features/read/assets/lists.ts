// Search, bookmarks, lists and drafts: pages that are a list of something.

import type { AppBskyBookmarkDefs, AppBskyGraphDefs } from '@atproto/api'
import { ask, me } from './page/api.ts'
import { button, el, link } from './page/dom.ts'
import { endless } from './page/endless.ts'
import { ago } from './page/locale.ts'
import { attempt } from './page/toast.ts'
import type { View } from './page/view.ts'
import { t } from './page/words.ts'
import { type Person, peopleList } from './people/people.ts'
import { isLeftOut, type Post, postCard } from './posts/post.ts'
import { type Draft, deleteDraft, readDrafts } from './writing/drafts.ts'
import { compose } from './writing/writer.ts'

const LIMIT = 30

export function searchView(q: string): View {
  const input = el('input', {
    type: 'search',
    name: 'q',
    id: 'q',
    value: q,
    dir: 'auto',
    autocomplete: 'off',
  })
  const form = el(
    'form',
    { class: 'row wrap', role: 'search', action: '/read/search' },
    el('label', { for: 'q' }, t('search')),
    input,
    el('button', { type: 'submit' }, t('search')),
  )
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    form.dispatchEvent(
      new CustomEvent('go', {
        bubbles: true,
        detail: `/read/search?q=${encodeURIComponent(input.value)}`,
      }),
    )
  })
  if (q === '') return { title: t('search'), node: el('div', {}, form) }
  const people = el('div', {})
  const posts = endless(el('ol', { class: 'feed' }), async (cursor) => {
    const page = await ask<{ posts: Post[]; cursor?: string }>('app.bsky.feed.searchPosts', {
      q,
      limit: LIMIT,
      cursor,
    })
    return {
      nodes: page.posts
        .filter((post) => !isLeftOut(post))
        .map((post) => el('li', {}, postCard(post))),
      cursor: page.cursor,
    }
  })
  void ask<{ actors: Person[] }>('app.bsky.actor.searchActors', { q, limit: 5 })
    .then(
      ({ actors }) =>
        actors.length > 0 && people.replaceChildren(el('h2', {}, t('people')), peopleList(actors)),
    )
    .catch(() => {})
  return {
    title: t('search'),
    node: el('div', {}, form, people, el('h2', {}, t('posts')), posts.node),
    first: posts.first,
    more: posts.more,
  }
}

export function bookmarksView(): View {
  const { node, first, more } = endless(el('ol', { class: 'feed' }), async (cursor) => {
    const page = await ask<{ bookmarks: AppBskyBookmarkDefs.BookmarkView[]; cursor?: string }>(
      'app.bsky.bookmark.getBookmarks',
      { limit: LIMIT, cursor },
    )
    const nodes = page.bookmarks.map(({ item }) =>
      el(
        'li',
        {},
        item.$type === 'app.bsky.feed.defs#postView'
          ? postCard(item as Post)
          : el('p', { class: 'gone' }, t('gone')),
      ),
    )
    return { nodes, cursor: page.cursor }
  })
  return { title: t('bookmarks'), node, first, more }
}

export function listsView(): View {
  const { node, first, more } = endless(el('ul', { class: 'people' }), async (cursor) => {
    const page = await ask<{ lists: AppBskyGraphDefs.ListView[]; cursor?: string }>(
      'app.bsky.graph.getLists',
      { actor: me(), limit: LIMIT, cursor },
    )
    const nodes = page.lists.map(({ uri, name, description }) =>
      el(
        'li',
        {},
        link(`/read/list?uri=${encodeURIComponent(uri)}`, { dir: 'auto' }, el('b', {}, name)),
        el('p', { class: 'aside', dir: 'auto' }, description ?? ''),
      ),
    )
    return { nodes, cursor: page.cursor }
  })
  return { title: t('lists'), node, first, more }
}

export function draftsView(): View {
  const { node, first, more } = endless(el('ul', { class: 'people' }), async (cursor) => {
    const page = await readDrafts(cursor)
    return { nodes: page.drafts.map(draftRow), cursor: page.cursor }
  })
  return { title: t('drafts'), node, first, more }
}

function draftRow(item: Draft): HTMLElement {
  const { draft, updatedAt } = item
  const text = el(
    'p',
    { class: 'text', dir: 'auto' },
    draft.posts.map((post) => post.text).join('\n\n'),
  )
  const onDraft = (now: string | undefined) => {
    if (now === undefined) row.remove()
    else text.textContent = now
  }
  const open = async () => compose({ draft: item, quote: await quoted(item), onDraft })
  const row = el(
    'li',
    {},
    text,
    el(
      'div',
      { class: 'row wrap' },
      el('span', { class: 'aside' }, ago(updatedAt)),
      button(t('write'), () => void attempt(open)),
      button(
        t('delete'),
        () =>
          void attempt(async () => {
            await deleteDraft(item)
            row.remove()
          }),
        { class: 'quiet' },
      ),
    ),
  )
  return row
}

/** Undefined as well if the post is gone. */
async function quoted({ draft }: Draft): Promise<Post | undefined> {
  const uri = draft.posts[0]?.embedRecords?.[0]?.record.uri
  if (!uri) return undefined
  const { posts } = await ask<{ posts: Post[] }>('app.bsky.feed.getPosts', { uris: [uri] })
  return posts[0]
}
