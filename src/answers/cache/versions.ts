// Versions of memories that come and go: no two memories of a thread ever have the same one, so a page that was
// written from one needs to compare only a number.

let last = 0

export function nextVersion(): number {
  return ++last
}
