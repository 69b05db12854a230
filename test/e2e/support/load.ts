// The acts of many accounts, as fast as a test wants: posts, replies, quotes, likes, reposts, follows, and
// undoing each. No account likes, reposts or follows the same subject twice at once, so that every count has
// one correct value.

import type { JsonObject } from '../../../src/base/event.ts'
import type { CommitEmission } from '../../support/jetstream-double/emission.ts'
import type { Random } from '../../support/random.ts'
import { cidOf, tid } from '../../support/simulated-network/repository.ts'

export type Load = {
  /** The next act by some account. */
  next: () => CommitEmission
  follow: (did: string, subject: string) => CommitEmission
  post: (did: string, text: string) => CommitEmission
}

type Made = { did: string; uri: string; cid: string; collection: string; rkey: string }

const RECENT = 200
/** Lag of the accounts' clocks, so that order follows their times instead of arrival. */
const CLOCK_LAG_MS = 1_000

/** `writers` write, and all other accounts only follow. */
export function createLoad(options: { random: Random; dids: string[]; writers: string[] }): Load {
  const { random, dids, writers } = options
  const posts: Made[] = []
  const undoable: (Made & { pair?: string })[] = []
  const pairs = new Set<string>()
  let lastMs = 0
  let count = 0

  /** Times increase by at least a millisecond, so that any two items have a known order. */
  function create(did: string, collection: string, fields: JsonObject): CommitEmission & Made {
    lastMs = Math.max(lastMs + 1, Date.now())
    const createdAt = new Date(lastMs - CLOCK_LAG_MS).toISOString()
    const record = { $type: collection, ...fields, createdAt }
    const rkey = tid(lastMs * 1000, count++)
    const uri = `at://${did}/${collection}/${rkey}`
    const rev = tid(lastMs * 1000 + 1, 0)
    return { did, operation: 'create', collection, rkey, rev, cid: cidOf(record), record, uri }
  }

  function pair(did: string, collection: string, subject: string, fields: JsonObject) {
    const key = `${did} ${collection} ${subject}`
    if (pairs.has(key)) return undefined
    pairs.add(key)
    const made = create(did, collection, fields)
    undoable.push({ ...made, pair: key })
    return made
  }

  function follow(did: string, subject: string) {
    return pair(did, 'app.bsky.graph.follow', subject, { subject })
  }

  function recent(): Made | undefined {
    return posts[posts.length - 1 - random.below(Math.min(posts.length, RECENT))]
  }

  function react(collection: string) {
    const subject = recent()
    return subject && pair(random.pick(writers), collection, subject.uri, { subject: ref(subject) })
  }

  function post(did: string, text: string, fields: JsonObject = {}) {
    const made = create(did, 'app.bsky.feed.post', { text, ...fields })
    posts.push(made)
    undoable.push(made)
    return made
  }

  function anyPost() {
    const other = recent()
    const dice = random.next()
    const text = `number ${count}`
    const did = random.pick(writers)
    if (!other || dice < 0.6) return post(did, text)
    if (dice < 0.85) return post(did, text, { reply: { root: ref(other), parent: ref(other) } })
    return post(did, text, { embed: { $type: 'app.bsky.embed.record', record: ref(other) } })
  }

  function undo(): CommitEmission | undefined {
    if (undoable.length === 0) return undefined
    const [victim] = undoable.splice(random.below(undoable.length), 1) as [Made & { pair?: string }]
    const { did, collection, rkey, uri } = victim
    if (victim.pair) pairs.delete(victim.pair)
    const index = posts.findIndex((one) => one.uri === uri)
    if (index >= 0) posts.splice(index, 1)
    lastMs = Math.max(lastMs + 1, Date.now())
    return { did, operation: 'delete', collection, rkey, rev: tid(lastMs * 1000 + 1, 0) }
  }

  function attempt(): CommitEmission | undefined {
    const dice = random.next()
    if (dice < 0.45) return react('app.bsky.feed.like')
    if (dice < 0.7) return anyPost()
    if (dice < 0.82) return react('app.bsky.feed.repost')
    if (dice < 0.88) {
      const [one, other] = [random.pick(dids), random.pick(writers)]
      return one === other ? undefined : follow(one, other)
    }
    return undo()
  }

  function next(): CommitEmission {
    for (;;) {
      const made = attempt()
      if (made) return made
    }
  }

  return {
    next,
    post,
    follow(did, subject) {
      const made = follow(did, subject)
      if (!made) throw new Error(`${did} follows ${subject} already`)
      return made
    },
  }
}

function ref({ uri, cid }: Made): JsonObject {
  return { uri, cid }
}
