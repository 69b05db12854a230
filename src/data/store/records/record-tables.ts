// Tables with a row for each record by an account (`uid`), with the columns of theirs that name another account. Such
// a row keeps both accounts from being swept (removal/unneeded.ts), and its key is compared with the listing of the
// repository (fetching/stored-keys.ts).

export const recordTables = {
  reposts: [],
  lists: [],
  list_items: ['subject'],
  list_blocks: [],
  record_likes: [],
} as const satisfies Record<string, readonly string[]>

export type RecordTable = keyof typeof recordTables
