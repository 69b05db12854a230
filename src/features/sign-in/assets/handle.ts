const LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/i

/** https://atproto.com/specs/handle: labels, the last of which begins with a letter. */
export function isHandle(text: string): boolean {
  const labels = text.split('.')
  const isNamed = /^[a-z]/i.test(labels.at(-1)!)
  return labels.length > 1 && isNamed && labels.every((label) => LABEL.test(label))
}
