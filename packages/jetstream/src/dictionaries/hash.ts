/** SHA-256, in hexadecimal digits. Only where `crypto.subtle` is: in a browser, on pages from https or localhost. */
export async function hashOf(bytes: Uint8Array): Promise<string> {
  const hash = await crypto.subtle.digest('SHA-256', bytes as Uint8Array<ArrayBuffer>)
  return Array.from(new Uint8Array(hash), (byte) => byte.toString(16).padStart(2, '0')).join('')
}
