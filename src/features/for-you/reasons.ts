// Why a post is chosen, in words: as `feedContext`, which the client at /read knows (assets/for-you/words.ts there).

import type { Candidate } from './engine/recommend.ts'

export function withReason({ votes, shared }: Candidate): string {
  return `liked by ${people(votes)} who ${votes === 1 ? 'shares' : 'share'} up to ${shared} ${shared === 1 ? 'like' : 'likes'} with you`
}

export function ofFollows({ votes }: Candidate): string {
  return `liked by ${people(votes)} you follow`
}

export function ofMembers({ votes }: Candidate): string {
  return `liked by ${votes} ${votes === 1 ? 'member' : 'members'} here`
}

function people(count: number): string {
  return count === 1 ? '1 person' : `${count} people`
}
