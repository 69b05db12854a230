// The value of SLIPSTREAM_MEMBERS: everyone, or named accounts and, if the word `invite` is among them,
// accounts with an invite.

type Members = 'open' | readonly string[]

export const INVITE = 'invite'

export function isByInvite(members: Members): boolean {
  return members !== 'open' && members.includes(INVITE)
}

/** Why an account is let in again after its membership ended, if it is. */
export function whyReturning(
  members: Members,
  { did, handle }: { did: string; handle?: string | undefined },
): 'open' | 'named' | undefined {
  if (members === 'open') return 'open'
  const isNamed = members.some(
    (member) => member === did || member.toLowerCase() === handle?.toLowerCase(),
  )
  return isNamed ? 'named' : undefined
}

/** The named members, as DIDs and handles. */
export function namedMembers(members: Members): string[] {
  return members === 'open' ? [] : members.filter((member) => member !== INVITE)
}
