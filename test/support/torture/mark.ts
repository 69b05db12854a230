// A last event that is visible from outside: once it is, and the stream's stored position has passed it,
// everything before it has been applied. Visibility alone doesn't show that, since a replay of chosen
// accounts brings the member's event early, and the position alone doesn't show that it was published.

import type { Subject } from './subject.ts'
import type { World } from './world.ts'

const PROFILE = 'app.bsky.actor.profile'

/** Emits the event. @returns a function that tells whether everything up to it is applied. */
export function leaveMark(world: World, subject: Subject): () => Promise<boolean> {
  const member = world.members[0]!
  const displayName = `Marker ${world.emitted()}`
  const value = { displayName }
  const mark = member.put({ collection: PROFILE, rkey: 'self', value, atMs: Date.now() })
  world.emit(mark)

  async function isVisible(): Promise<boolean> {
    const params = { actor: member.did }
    const method = 'app.bsky.actor.getProfile'
    return subject.get<{ displayName?: string }>(member.did, method, params).then(
      (profile) => profile.displayName === displayName,
      () => false,
    )
  }

  function isPassed(): boolean {
    const positions = subject.streamPositions()
    return world.hosts.some(({ url, entries }) => {
      const sent = entries().findLast(({ event }) => 'rev' in event && event.rev === mark.rev)
      return sent !== undefined && (positions.get(url) ?? 0) >= sent.event.timeUs
    })
  }

  return async () => (await isVisible()) && isPassed()
}
