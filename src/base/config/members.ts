// What SLIPSTREAM_MEMBERS says: everybody, or accounts by name and, where the word `invite` is among
// them, whoever comes with an invite.

type Members = 'open' | readonly string[]

export const INVITE = 'invite'

export function isByInvite(members: Members): boolean {
  return members !== 'open' && members.includes(INVITE)
}

/** DIDs and handles. */
export function namedMembers(members: Members): string[] {
  return members === 'open' ? [] : members.filter((one) => one !== INVITE)
}
