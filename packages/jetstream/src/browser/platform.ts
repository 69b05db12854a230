// In place of ../platform.ts in a browser.

const lenient = new TextDecoder('utf-8', { ignoreBOM: true })
const strict = new TextDecoder('utf-8', { fatal: true })

export function isUtf8(bytes: Uint8Array): boolean {
  try {
    strict.decode(bytes)
    return true
  } catch {
    return false
  }
}

export function textOf(bytes: Uint8Array): string {
  return lenient.decode(bytes)
}

/** Not by a TextDecoder, whose `latin1` is windows-1252. */
export function latin1Of(bytes: Uint8Array, from: number, to: number): string {
  return String.fromCharCode(...bytes.subarray(from, to))
}

export function joined(chunks: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(chunks.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const chunk of chunks) {
    all.set(chunk, at)
    at += chunk.length
  }
  return all
}

/** A browser hashes later than a cursor is made, so it is the text itself. */
export function shortHash(text: string): string {
  return text
}

export function soon(run: () => void): void {
  setTimeout(run, 0)
}
