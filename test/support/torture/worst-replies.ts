// Replies to a member by an unknown account, with texts and links that careless code scans again and again.
// They are in the network's repositories like any other record, so the oracle expects them.

import { worstText } from '../worst-texts.ts'
import { type Dependencies, hadEffect, pick } from './fault.ts'

const POST = 'app.bsky.feed.post'
const SEARCH = 'app.bsky.feed.searchPosts'
const LINK_LENGTH = 98_000
const QUERY_LENGTH = 12_000
const UNITS = ['slashes', 'dots', 'hyphens', 'percents', 'labels', 'question marks'] as const
const SEARCHES = 5

/** Writes the replies. @returns a function that searches for their links, to be run alongside. */
export function writeWorstReplies(
  { world, subject }: Dependencies,
  dice: number,
): () => Promise<void> {
  const atMs = Date.now()
  const members = new Set(world.members.map(({ did }) => did))
  const strangers = world.network.repositories.filter(
    ({ did, state }) => !members.has(did) && state === undefined,
  )
  const writer = pick(strangers, dice)
  const reply = replyTo(
    world.members.flatMap((member) => latestPost(member) ?? []),
    dice,
  )
  for (const unit of UNITS) {
    const uri = `https://worst.example/${worstText(unit, LINK_LENGTH)}x`
    const feature = { $type: 'app.bsky.richtext.facet#link', uri }
    const facets = [{ index: { byteStart: 0, byteEnd: 5 }, features: [feature] }]
    const createdAt = new Date(atMs).toISOString()
    const text = `Worst e${'\u0301'.repeat(1_000)}`
    const value = { text, createdAt, facets, ...(reply && { reply }) }
    world.emit(writer.put({ collection: POST, value, atMs }))
  }
  return async () => {
    let answered = 0
    for (let i = 0; i < SEARCHES; i++) {
      const url = `https://worst.example/${worstText(pick(UNITS, (dice + i / SEARCHES) % 1), QUERY_LENGTH)}x`
      const query = new URLSearchParams({ q: 'worst', url })
      const { status } = await subject.call(SEARCH, `?${query}`, {})
      if (status === 200 || status === 400) answered++
    }
    hadEffect('a search was read', answered > 0)
  }
}

type Ref = { uri: string; cid: string }

function replyTo(posts: { ref: Ref; root: Ref | undefined }[], dice: number) {
  if (posts.length === 0) return undefined
  const { ref, root } = pick(posts, dice)
  return { root: root ?? ref, parent: ref }
}

type Repository = Dependencies['world']['members'][number]

function latestPost({
  did,
  collections,
}: Repository): { ref: Ref; root: Ref | undefined } | undefined {
  const last = [...(collections.get(POST)?.values() ?? [])].at(-1)
  if (!last) return undefined
  const ref = { uri: `at://${did}/${POST}/${last.rkey}`, cid: last.cid }
  return { ref, root: (last.value['reply'] as { root: Ref } | undefined)?.root }
}
