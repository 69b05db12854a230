// The acts of many accounts, as fast as a test wants: posts, replies, quotes, likes, reposts, follows, and
// undoing each. No account likes, reposts or follows the same subject twice at once, so that every count has
// one correct value.

import type { JsonObject } from '../../../src/base/util/json-object.ts'
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

type Options = { random: Random; dids: string[]; writers: string[] }
type Undoable = Made & { pair?: string }

/** `writers` write, and all other accounts only follow. */
export function createLoad(options: Options): Load {
  const acts = new Acts(options)
  return {
    next() {
      for (;;) {
        const made = acts.attempt()
        if (made) return made
      }
    },
    post: (did, text) => acts.post(did, text),
    follow(did, subject) {
      const made = acts.follow(did, subject)
      if (!made) throw new Error(`${did} follows ${subject} already`)
      return made
    },
  }
}

/** Single acts; undefined if an act has no subject or was done before. */
class Acts {
  readonly #options: Options
  readonly #posts: Made[] = []
  readonly #undoable: Undoable[] = []
  readonly #pairs = new Set<string>()
  #lastMs = 0
  #count = 0

  constructor(options: Options) {
    this.#options = options
  }

  attempt(): CommitEmission | undefined {
    const { random, dids, writers } = this.#options
    const dice = random.next()
    if (dice < 0.45) return this.#react('app.bsky.feed.like')
    if (dice < 0.7) return this.#anyPost()
    if (dice < 0.82) return this.#react('app.bsky.feed.repost')
    if (dice < 0.88) {
      const [first, other] = [random.pick(dids), random.pick(writers)]
      return first === other ? undefined : this.follow(first, other)
    }
    return this.#undo()
  }

  follow(did: string, subject: string): CommitEmission | undefined {
    return this.#pair(did, 'app.bsky.graph.follow', subject, { subject })
  }

  post(did: string, text: string, fields: JsonObject = {}): CommitEmission {
    const made = this.#create(did, 'app.bsky.feed.post', { text, ...fields })
    this.#posts.push(made)
    this.#undoable.push(made)
    return made
  }

  #anyPost(): CommitEmission {
    const { random, writers } = this.#options
    const other = this.#recent()
    const dice = random.next()
    const text = `number ${this.#count}`
    const did = random.pick(writers)
    if (!other || dice < 0.6) return this.post(did, text)
    const subject = ref(other)
    if (dice < 0.85) return this.post(did, text, { reply: { root: subject, parent: subject } })
    return this.post(did, text, { embed: { $type: 'app.bsky.embed.record', record: subject } })
  }

  #react(collection: string): CommitEmission | undefined {
    const { random, writers } = this.#options
    const subject = this.#recent()
    if (!subject) return undefined
    return this.#pair(random.pick(writers), collection, subject.uri, { subject: ref(subject) })
  }

  #recent(): Made | undefined {
    const { length } = this.#posts
    return this.#posts[length - 1 - this.#options.random.below(Math.min(length, RECENT))]
  }

  #pair(did: string, collection: string, subject: string, fields: JsonObject) {
    const pair = `${did} ${collection} ${subject}`
    if (this.#pairs.has(pair)) return undefined
    this.#pairs.add(pair)
    const made = this.#create(did, collection, fields)
    this.#undoable.push({ ...made, pair })
    return made
  }

  #undo(): CommitEmission | undefined {
    if (this.#undoable.length === 0) return undefined
    const at = this.#options.random.below(this.#undoable.length)
    const [victim] = this.#undoable.splice(at, 1) as [Undoable]
    const { did, collection, rkey, uri, pair } = victim
    if (pair) this.#pairs.delete(pair)
    const index = this.#posts.findIndex((post) => post.uri === uri)
    if (index >= 0) this.#posts.splice(index, 1)
    const rev = tid(this.#tick() * 1000 + 1, 0)
    return { did, operation: 'delete', collection, rkey, rev }
  }

  #create(did: string, collection: string, fields: JsonObject): CommitEmission & Made {
    const atMs = this.#tick()
    const createdAt = new Date(atMs - CLOCK_LAG_MS).toISOString()
    const record = { $type: collection, ...fields, createdAt }
    const rkey = tid(atMs * 1000, this.#count++)
    const uri = `at://${did}/${collection}/${rkey}`
    const rev = tid(atMs * 1000 + 1, 0)
    return { did, operation: 'create', collection, rkey, rev, cid: cidOf(record), record, uri }
  }

  /** Times increase by at least a millisecond, so that any two items have a known order. */
  #tick(): number {
    this.#lastMs = Math.max(this.#lastMs + 1, Date.now())
    return this.#lastMs
  }
}

function ref({ uri, cid }: Made): JsonObject {
  return { uri, cid }
}
