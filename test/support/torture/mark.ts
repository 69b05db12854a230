// A last event that is visible from outside: once it is, everything before it has been applied.

import type { Subject } from './subject.ts'
import type { World } from './world.ts'

const PROFILE = 'app.bsky.actor.profile'

/** Emits the event. @returns a function that tells whether it is visible yet. */
export function leaveMark(world: World, subject: Subject): () => Promise<boolean> {
  const member = world.members[0]!
  const displayName = `Marker ${world.emitted()}`
  const value = { displayName }
  world.emit(member.put({ collection: PROFILE, rkey: 'self', value, atMs: Date.now() }))
  return async () => {
    const params = { actor: member.did }
    const method = 'app.bsky.actor.getProfile'
    return subject.get<{ displayName?: string }>(member.did, method, params).then(
      (profile) => profile.displayName === displayName,
      () => false,
    )
  }
}
