// What stands in an account’s place where a handle is needed and none is known.

/** The handle of an account whose name nobody has verified (https://atproto.com/specs/handle). */
export const INVALID_HANDLE = 'handle.invalid'
