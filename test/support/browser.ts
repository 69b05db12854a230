// The system's Chromium, headless and driven by playwright-core, for tests of the visible pages. Without one,
// tests skip and say so.

import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

const POSITIONS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

/** Returns undefined if no Chromium is installed. */
export function chromiumPath(): string | undefined {
  return POSITIONS.find((path) => existsSync(path))
}

/** @throws Error if no Chromium is installed */
export async function launchBrowser(): Promise<Browser> {
  const executablePath = chromiumPath()
  if (!executablePath) throw new Error(`no browser at ${POSITIONS.join(', ')}: install chromium`)
  return chromium.launch({
    executablePath,
    timeout: 0, // bounded by the test's own limit
    args: [
      ...['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'],
      ...['--disable-background-networking', '--disable-component-update', '--disable-sync'],
    ],
  })
}
