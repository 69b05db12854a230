// How this Slipstream was installed: a release of deploy/install.sh, the image, the npm package, or a
// checkout. Advice for another kind would name files and commands that are not here.

import { existsSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'

export type Installation = 'release' | 'container' | 'checkout' | 'package'

export function findInstallation(root = resolve(import.meta.dirname, '../../..')): Installation {
  const releases = resolve(root, '..')
  if (basename(releases) === 'releases' && existsSync(join(releases, '../current')))
    return 'release'
  if (basename(releases) === 'node_modules') return 'package'
  return existsSync(join(root, 'scripts/setup.sh')) ? 'checkout' : 'container'
}

/** Where an operator sets a setting, to follow “Set … in”. */
export function settingsLocation(): string {
  const locations: Record<Installation, string> = {
    release: '/etc/slipstream/slipstream.env',
    container: 'deploy/slipstream.env, and run `up` again',
    checkout: 'the environment or in .env',
    package: 'the environment or in .env',
  }
  return locations[findInstallation()]
}
