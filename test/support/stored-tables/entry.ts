// What a table of the database may hold about an account, who deletes that, and what bounds it.

type Bound =
  | {
      /** Rows, and the most bytes of one. */
      rows: number
      bytes: number
      per: 'member' | 'account' | 'token' | 'timeline' | 'server'
      /** The line of the source that says so. */
      by: readonly [file: string, text: string]
    }
  /** No number of ours: what limits it instead. */
  | string

export type StoredTable = {
  /**
   * `member`: its rows go when a membership ends, and with a deleted account. `account`: with a
   * deleted account. `stays`: for a reason. `nobody`: no row says anything about an account.
   */
  goes: 'member' | 'account' | 'stays' | 'nobody'
  /** Why it stays; or by column, why rows of others still name an account that is gone. */
  why?: string | Record<string, string>
  bound: Bound
  /** Until when a row that nobody deletes stays. */
  until: string
}

export const OTHERS = 'a record of another account, which names it by number'
export const RECORDS =
  'as many as repositories hold; a record has 1 MB at most, and strangers’ go first if the disk is short'
export const WITH_RECORD = 'the record is deleted'
export const WITH_POST = 'the post is deleted'
export const NUMBERS = 'one small row for each of another table'

export const most = (
  per: Exclude<Bound, string>['per'],
  rows: number,
  bytes: number,
  ...by: readonly [file: string, text: string]
): Bound => ({ per, rows, bytes, by })

export const ofRepository = (why?: Record<string, string>): StoredTable => ({
  goes: 'account',
  ...(why && { why }),
  bound: RECORDS,
  until: WITH_RECORD,
})
export const nobody = (bound: Bound, until: string): StoredTable => ({
  goes: 'nobody',
  bound,
  until,
})
export const private_ = (
  bound: Bound,
  until = 'the member deletes it',
  why?: Record<string, string>,
) => ({
  goes: 'member' as const,
  ...(why && { why }),
  bound,
  until,
})
