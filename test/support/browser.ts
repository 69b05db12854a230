// A headless Chromium of the system's, driven by playwright-core, for tests of what people see. Where
// there is none, tests skip and say so.

import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

/** undefined where none is installed. */
export function chromiumPath(): string | undefined {
  return PLACES.find((path) => existsSync(path))
}

/** @throws where none is installed */
export async function launchBrowser(): Promise<Browser> {
  const executablePath = chromiumPath()
  if (!executablePath) throw new Error(`no browser at ${PLACES.join(', ')}: install chromium`)
  return chromium.launch({
    executablePath,
    timeout: 0, // the test's own limit bounds it
    args: [
      ...['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'],
      ...['--disable-background-networking', '--disable-component-update', '--disable-sync'],
    ],
  })
}
