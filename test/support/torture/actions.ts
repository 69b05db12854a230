// Acts of members that no repository holds: mutes and bookmarks, sent to Slipstream over HTTP while faults
// strike. A request answered with 200 must take effect permanently; any other is retried until it is, so that
// in the end all are answered. The acts are drawn and noted beforehand, so that a seed draws the same ones
// whatever the pace of the answers.

import type { Random } from '../random.ts'
import { sleep } from './sleep.ts'
import { AnswerError, type Subject } from './subject.ts'
import type { World } from './world.ts'

export type Actions = {
  /** Starts one act of one member; the next one waits for it. */
  next(): void
  /** Resolves when every act that was started is answered. */
  settled(): Promise<void>
  /** DIDs that a member mutes. */
  muted(member: string): ReadonlySet<string>
  /** URIs. */
  bookmarked(member: string): ReadonlySet<string>
  count(): number
}

type Action = { member: string; method: string; input: Record<string, unknown> }

const POST = 'app.bsky.feed.post'
const RETRY_MS = 100
const MAX_WAIT_MS = 90_000

export function createActions(parts: { world: World; subject: Subject; random: Random }): Actions {
  const { world, subject, random } = parts
  const mutes = new Map(world.members.map(({ did }) => [did, new Set<string>()]))
  const bookmarks = new Map(world.members.map(({ did }) => [did, new Set<string>()]))
  let line: Promise<void> = Promise.resolve()
  let count = 0

  function draw(): Action | undefined {
    const member = random.pick(world.members).did
    const isMute = random.chance(0.3)
    const isUndone = random.chance(0.35)
    return isMute ? drawMute(member, isUndone) : drawBookmark(member, isUndone)
  }

  function drawMute(member: string, isUndone: boolean): Action | undefined {
    const of = mutes.get(member)!
    const stranger = random.pick(world.network.repositories)
    if (stranger.did === member || stranger.state || (!isUndone && of.size >= 3)) return
    const actor = isUndone && of.size > 0 ? random.pick([...of]) : stranger.did
    const method = `app.bsky.graph.${isUndone ? 'unmuteActor' : 'muteActor'}`
    if (isUndone) of.delete(actor)
    else of.add(actor)
    return { member, method, input: { actor } }
  }

  function drawBookmark(member: string, isUndone: boolean): Action | undefined {
    const of = bookmarks.get(member)!
    const { did, state, collections } = random.pick(world.network.repositories)
    const posts = [...(collections.get(POST)?.values() ?? [])]
    const dice = random.next()
    if (isUndone && of.size > 0) {
      const uri = [...of][Math.floor(dice * of.size)]!
      of.delete(uri)
      return { member, method: 'app.bsky.bookmark.deleteBookmark', input: { uri } }
    }
    const post = posts[Math.floor(dice * posts.length)]
    if (state || !post) return
    const uri = `at://${did}/${POST}/${post.rkey}`
    of.add(uri)
    const input = { uri, cid: post.cid }
    return { member, method: 'app.bsky.bookmark.createBookmark', input }
  }

  async function insist({ member, method, input }: Action): Promise<void> {
    const deadline = performance.now() + MAX_WAIT_MS
    for (;;) {
      try {
        return await subject.post(member, method, input)
      } catch (error) {
        const isFinal = error instanceof AnswerError && error.status === 400
        if (isFinal || performance.now() > deadline) throw error
        await sleep(RETRY_MS)
      }
    }
  }

  return {
    next: () => {
      const act = draw()
      if (!act) return
      count++
      line = line.then(() => insist(act))
      line.catch(() => {})
    },
    settled: () => line,
    muted: (member) => mutes.get(member) ?? new Set(),
    bookmarked: (member) => bookmarks.get(member) ?? new Set(),
    count: () => count,
  }
}
