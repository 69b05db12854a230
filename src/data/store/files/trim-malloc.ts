// Gives back the memory that glibc's allocator keeps between pieces still in use: after a start more than half of its
// arenas, since by itself it gives back only their ends. Nothing in Node calls `malloc_trim`, which does; but SQLite can:
// it calls a function by its name when it loads an extension (docs/notes/2026-11-29-free-memory-of-malloc.md).

import Database from 'better-sqlite3'

/** Its types lack the second parameter. */
type LoadExtension = (library: string, entryPoint: string) => unknown

/**
 * Takes 10 to 20 ms, in which other threads that allocate wait. The function's one argument is what
 * to leave at the end of the main arena; SQLite's is an address, so that end stays. Its result of
 * 1, “memory was released”, is an error to SQLite. So is a system without glibc, where nothing
 * happens.
 */
export function trimMalloc(): void {
  const db = new Database(':memory:')
  try {
    const load: LoadExtension = db.loadExtension
    load.call(db, 'libc.so.6', 'malloc_trim')
  } catch {
    // As expected.
  } finally {
    db.close()
  }
}
