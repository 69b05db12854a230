// Private acts of members: mutes of all scopes, of lists and threads, and bookmarks. They go through the
// writer as on the serving side.

import type { WriterRequest } from '../../src/bridge/messages.ts'
import type { Random } from './random.ts'
import { cidOf } from './records.ts'
import type { World } from './world.ts'

/** One act by one of these accounts, on records that the world has sent so far. */
export function privateAct(world: World, random: Random, people: readonly string[]): void {
  const did = random.pick(people)
  const subjectDid = world.account(`person-${random.below(9)}`)
  const scope = { onlyReposts: random.chance(0.5), onlyQuoteposts: random.chance(0.5) }
  const post = latestUri(world, random, 'app.bsky.feed.post')
  const list = latestUri(world, random, 'app.bsky.graph.list')
  const acts: (WriterRequest | '' | undefined)[] = [
    { id: 1, did, kind: 'mute', subjectDid, ...scope },
    { id: 1, did, kind: 'unmute', subjectDid },
    list && { id: 1, did, kind: 'mute-list', list },
    list && { id: 1, did, kind: 'unmute-list', list },
    post && { id: 1, did, kind: 'bookmark', uri: post, cid: cidOf(post) },
    post && { id: 1, did, kind: 'unbookmark', uri: post },
    post && { id: 1, did, kind: 'mute-thread', root: post },
    post && { id: 1, did, kind: 'unmute-thread', root: post },
  ]
  const act = random.pick(acts)
  if (act) world.request(act)
}

function latestUri({ sent }: World, random: Random, collection: string): string | undefined {
  const found: string[] = []
  for (let i = sent.length - 1; i >= 0 && found.length < 6; i--) {
    const event = sent[i]!
    if (event.kind !== 'commit' || event.collection !== collection) continue
    found.push(`at://${event.did}/${collection}/${event.rkey}`)
  }
  return found.length > 0 ? random.pick(found) : undefined
}
