// Divides the one budget of memory into four flat sections: two logs of likes and the tables of the posts and
// accounts that these name. Nothing in them grows: what is new takes the place of what is worth least.

const POST_WORDS = 10
const USER_WORDS = 7
const ENTRY_WORDS = 4
const HEADER_WORDS = 64
/** Slots of a bucket; a key is only ever in its own bucket. */
export const WAYS = 8
/** Slots are named by 24 bits. */
const MAX_SLOTS = 2 ** 24 - WAYS
/** A log's numbers stay below half of those of 32 bits. */
const MAX_ENTRIES = 2 ** 28

/** In parts of a hundred: the recent log, the lasting log, posts, accounts. */
const SHARES = { recent: 33, lasting: 24, posts: 33, users: 10 }

type Capacities = {
  /** Likes in the log of all admitted likes. */
  recent: number
  /** Likes in the log of those worth more time. */
  lasting: number
  posts: number
  users: number
}

/** How much a budget holds. @param bytes - all sections together */
function divide(bytes: number): Capacities {
  const part = (share: number, words: number, extra = 0) =>
    Math.max(WAYS, Math.floor((bytes * share) / 100 / (words * 4 + extra)))
  const slots = (count: number) => Math.min(MAX_SLOTS, count - (count % WAYS))
  return {
    recent: Math.min(MAX_ENTRIES, part(SHARES.recent, ENTRY_WORDS, 2)),
    lasting: Math.min(MAX_ENTRIES, part(SHARES.lasting, ENTRY_WORDS, 2)),
    posts: slots(part(SHARES.posts, POST_WORDS)),
    users: slots(part(SHARES.users, USER_WORDS)),
  }
}

export type Log = {
  /** Four words per like: account, post, the account's like before, the post's like before. */
  entries: Int32Array
  /** Minutes since 1970, modulo 2^16. */
  minutes: Uint16Array
  capacity: number
  /** Where the header has the number of the latest like, and of the oldest that is young enough. */
  head: number
  tail: number
}

export type State = {
  buffer: SharedArrayBuffer
  header: Int32Array
  /** The same memory as `header`. */
  headerFloats: Float32Array
  recent: Log
  lasting: Log
  posts: Int32Array
  users: Int32Array
  /** The same memory as `users`. */
  userFloats: Float32Array
  capacities: Capacities
}

/** Fields of the header. */
export const H = {
  version: 0,
  recent: 1,
  lasting: 2,
  postSlots: 3,
  userSlots: 4,
  recentHead: 5,
  lastingHead: 6,
  /** Minutes since 1970. */
  now: 7,
  /** Accounts whose hash is below this are sampled; 2^32 - 1: all. */
  admitted: 8,
  /** Least rank of an account whose likes go to the lasting log, as a float. */
  threshold: 9,
  salt: 10,
  heard: 11,
  stored: 12,
  promoted: 13,
  lostPosts: 14,
  lostUsers: 15,
  /** Numbers of the oldest likes that are young enough. */
  recentTail: 16,
  lastingTail: 17,
  /** Slots that the sweep looked at last. */
  sweptPost: 18,
  sweptUser: 19,
  /** Minute since which likes are heard as they come; 0: in a snapshot from before this was noted. */
  began: 20,
  /** Minute up to which the likes from before were read; 0: none. */
  reached: 21,
} as const

export const VERSION = 1
export const EVERYONE = 0xffffffff

/** Fields of a post's slot. */
export const P = {
  did: 0,
  rkey: 4,
  recentHead: 6,
  lastingHead: 7,
  /** Likes heard of in the low 24 bits, the slot's generation above. */
  count: 8,
  /** Minute of the latest like in the low 16 bits; of a member's latest like above, 0 for none. */
  minutes: 9,
} as const

/** Fields of an account's slot. */
export const U = {
  fingerprint: 0,
  recentHead: 2,
  lastingHead: 3,
  /** Likes of late in the low 24 bits, the slot's generation above. */
  activity: 4,
  /** Weight as a co-liker of members, a float, as of the minute in `minutes`. */
  weight: 5,
  /** Minute of the latest like in the low 16 bits, of the weight above. */
  minutes: 6,
} as const

export { ENTRY_WORDS, POST_WORDS, USER_WORDS }

/** Bytes that hold these capacities. */
function bytesFor({ recent, lasting, posts, users }: Capacities): number {
  const words =
    HEADER_WORDS + (recent + lasting) * ENTRY_WORDS + posts * POST_WORDS + users * USER_WORDS
  return words * 4 + (recent + lasting) * 2
}

export function createState(bytes: number, salt: number): State {
  const capacities = divide(bytes)
  const state = view(new SharedArrayBuffer(bytesFor(capacities)), capacities)
  const { header } = state
  header[H.version] = VERSION
  header[H.recent] = capacities.recent
  header[H.lasting] = capacities.lasting
  header[H.postSlots] = capacities.posts
  header[H.userSlots] = capacities.users
  header[H.admitted] = EVERYONE | 0
  header[H.salt] = salt | 0
  return state
}

/** Views of a state that another thread made. */
export function openState(buffer: SharedArrayBuffer): State {
  const header = new Int32Array(buffer, 0, HEADER_WORDS)
  return view(buffer, {
    recent: header[H.recent]!,
    lasting: header[H.lasting]!,
    posts: header[H.postSlots]!,
    users: header[H.userSlots]!,
  })
}

function view(buffer: SharedArrayBuffer, capacities: Capacities): State {
  let at = 0
  const next = (words: number) => {
    const start = at
    at += words * 4
    return start
  }
  const headerAt = next(HEADER_WORDS)
  const recentAt = next(capacities.recent * ENTRY_WORDS)
  const lastingAt = next(capacities.lasting * ENTRY_WORDS)
  const postsAt = next(capacities.posts * POST_WORDS)
  const usersAt = next(capacities.users * USER_WORDS)
  const minutesAt = at
  const ints = (start: number, words: number) => new Int32Array(buffer, start, words)
  const log = (
    start: number,
    capacity: number,
    minutes: number,
    head: number,
    tail: number,
  ): Log => ({
    entries: ints(start, capacity * ENTRY_WORDS),
    minutes: new Uint16Array(buffer, minutes, capacity),
    capacity,
    head,
    tail,
  })
  const { recent, lasting, posts, users } = capacities
  return {
    buffer,
    header: ints(headerAt, HEADER_WORDS),
    headerFloats: new Float32Array(buffer, headerAt, HEADER_WORDS),
    recent: log(recentAt, recent, minutesAt, H.recentHead, H.recentTail),
    lasting: log(lastingAt, lasting, minutesAt + recent * 2, H.lastingHead, H.lastingTail),
    posts: ints(postsAt, posts * POST_WORDS),
    users: ints(usersAt, users * USER_WORDS),
    userFloats: new Float32Array(buffer, usersAt, users * USER_WORDS),
    capacities,
  }
}
