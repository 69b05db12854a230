// A member's changes that have a limit, one after another: each is counted before the next is judged. Sent all at once,
// hundreds would find the same room.

const latest = new Map<string, Promise<unknown>>()

/** @param whose - and which limit it is about */
export function oneByOne<T>(whose: string, work: () => Promise<T>): Promise<T> {
  const done = (latest.get(whose) ?? Promise.resolve()).then(work, work)
  latest.set(whose, done)
  const forget = () => {
    if (latest.get(whose) === done) latest.delete(whose)
  }
  done.then(forget, forget)
  return done
}
