// Hosts that lie, and likers who want to be found. Jetstream makes records up, says that others, or accounts, are
// gone, and keeps some back; a relay alters commits. What members see must be what the accounts signed all the same.

import { until } from '../eventually.ts'
import { cidOf, tid } from '../simulated-network/repository.ts'
import { type Dependencies, type Fault, hadEffect, pick } from './fault.ts'
import type { PlannedFault } from './plan.ts'
import { sleep } from './sleep.ts'

const POST = 'app.bsky.feed.post'
const LIKE = 'app.bsky.feed.like'
const DISCOVER = 'at://did:plc:z72i7hdynmk6r22z27h6tvur/app.bsky.feed.generator/whats-hot'
/** Within a minute, on a machine that may be busy with something else. */
const FOUND_WITHIN_MS = 150_000
/** An address that asks for metrics again and again is refused them. */
const POLL_MS = 1_000
const CLOCK_ID = 1000
const RING = 12
const LIKED_BY_EACH = 60

export const lieFaults = {
  'host-lies': (parts, planned) =>
    parts.world.source === 'relay' ? lieAsRelay(parts, planned) : lieAsJetstream(parts, planned),
  'hostile-likers': likeEverything,
} satisfies Record<string, Fault>

async function lieAsRelay(
  { world, subject }: Dependencies,
  { forMs, dice }: PlannedFault,
): Promise<void> {
  const liar = pick(world.hosts, dice)
  const others = world.hosts.filter((host) => host !== liar)
  const before = await failures(subject.origin)
  const members = new Set(world.members.map(({ did }) => did))
  // An author whom the last member unfollows meanwhile is a stranger.
  const about = (did: string) => members.has(did) || world.steadyAuthors().has(did)
  liar.lies = { about, mayOmit: others.some((host) => host.openConnections() > 0) }
  await sleep(forMs * 6)
  liar.lies = undefined
  const isFound = async () => (await failures(subject.origin)) > before
  const found = await until(isFound, {
    what: 'a lie was found',
    withinMs: 20_000,
    pollMs: POLL_MS,
  }).then(
    () => true,
    () => false,
  )
  hadEffect('a lie was found', found)
}

/** Each lie is about an account that members follow, or about a member. */
async function lieAsJetstream(
  { world, subject }: Dependencies,
  { dice }: PlannedFault,
): Promise<void> {
  const dids = [...world.steadyAuthors(), ...world.members.map(({ did }) => did)]
  const accounts = world.network.repositories.filter(
    ({ did, state }) => dids.includes(did) && !state,
  )
  const victim = pick(accounts, dice)
  const before = await failures(subject.origin)
  const atMs = Date.now()
  const rev = tid(atMs * 1000 + 7, CLOCK_ID)
  const record = { $type: POST, text: 'Never said', createdAt: new Date(atMs).toISOString() }
  const forged = { did: victim.did, collection: POST, rkey: rev, rev } as const
  const [gone] = victim.collections.get(POST)?.keys() ?? []
  for (const host of world.hosts) {
    host.emit({ ...forged, operation: 'create', cid: cidOf(record), record })
    if (gone !== undefined) {
      host.emit({ ...forged, rev: tid(atMs * 1000 + 8, CLOCK_ID), rkey: gone, operation: 'delete' })
    }
  }
  const there = pick(accounts, (dice * 29) % 1)
  for (const host of world.hosts) {
    host.emit({ did: there.did, kind: 'account', active: false, status: 'deleted' })
  }
  // What is forged of an account has it compared, which brings what is kept back before that is found.
  const others = accounts.filter((account) => account !== victim && account !== there)
  const storedBack = pick(others, (dice * 17) % 1)
  storedBack.put({
    collection: POST,
    value: { text: 'Kept back', createdAt: record.createdAt },
    atMs,
  })
  const lies = gone === undefined ? 3 : 4
  const isFound = async () => (await failures(subject.origin)) >= before + lies
  await until(isFound, {
    what: `${lies} lies were found`,
    withinMs: FOUND_WITHIN_MS,
    pollMs: POLL_MS,
  })
}

async function failures(origin: string): Promise<number> {
  const text = await fetch(`${origin}/metrics`).then(
    (answer) => answer.text(),
    () => '',
  )
  const lines = text.matchAll(/^slipstream_unverified_total\{.*\} (\d+)$/gm)
  return [...lines].reduce((sum, [, count]) => sum + Number(count), 0)
}

/**
 * A ring likes what a member liked and each other's posts, and one account likes all there is; some of their likes
 * are of the future, of long ago, or of nothing. Meanwhile members read For You.
 */
async function likeEverything(
  { world, subject }: Dependencies,
  { dice }: PlannedFault,
): Promise<void> {
  const members = new Set(world.members.map(({ did }) => did))
  const strangers = world.network.repositories.filter(
    ({ did, state }) => !state && !members.has(did) && !world.steadyAuthors().has(did),
  )
  const ring = strangers.slice(0, RING)
  const all = world.network.repositories.flatMap(({ did, state, collections }) =>
    state
      ? []
      : [...(collections.get(POST)?.values() ?? [])].map(({ rkey, cid }) => ({
          uri: `at://${did}/${POST}/${rkey}`,
          cid,
        })),
  )
  const shift = Math.floor(dice * all.length)
  const posts = [...all.slice(shift), ...all.slice(0, shift)]
  for (const [i, by] of ring.entries()) {
    // Deleted meanwhile, an account writes nothing that counts.
    if (by.state) continue
    const liked = i === 0 ? posts : posts.slice(0, LIKED_BY_EACH)
    const already = new Set(
      [...(by.collections.get(LIKE)?.values() ?? [])].map(
        ({ value }) => (value['subject'] as { uri: string }).uri,
      ),
    )
    for (const [k, subjectPost] of liked.entries()) {
      if (already.has(subjectPost.uri)) continue
      const skewMs = k % 9 === 0 ? 400 * 86_400_000 * (k % 2 === 0 ? 1 : -1) : 0
      const createdAt = new Date(Date.now() + skewMs).toISOString()
      const value = { subject: subjectPost, createdAt }
      world.emit(by.put({ collection: LIKE, value, atMs: Date.now() }))
    }
    const reader = pick(world.members, (dice * (i + 3)) % 1)
    await subject
      .get(reader.did, 'app.bsky.feed.getFeed', { feed: DISCOVER, limit: 30 })
      .catch(() => {})
    await sleep(50)
  }
  hadEffect('there were likers', ring.length > 0)
}
