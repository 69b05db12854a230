// The value of SLIPSTREAM_MEMBERS: everyone, or named accounts and, if the word `invite` is among them,
// accounts with an invite.

type Members = 'open' | readonly string[]

export const INVITE = 'invite'

export function isByInvite(members: Members): boolean {
  return members !== 'open' && members.includes(INVITE)
}

/** The named members, as DIDs and handles. */
export function namedMembers(members: Members): string[] {
  return members === 'open' ? [] : members.filter((one) => one !== INVITE)
}
