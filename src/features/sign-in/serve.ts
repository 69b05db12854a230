// The addresses of the OAuth client and the form on the first page, while signing in is on.

import { settingsOf } from '../../base/config/every-setting.ts'
import type { ServeFeature } from '../../http/feature.ts'
import { firstPageForm } from './page.ts'
import { signInRoutes } from './routes.ts'
import { signInSettings } from './settings.ts'

export const serve: ServeFeature = {
  firstPage: (config, language) =>
    settingsOf(config, signInSettings).signIn ? firstPageForm(language) : undefined,
  start({ config }) {
    if (!settingsOf(config, signInSettings).signIn) return {}
    const charge = { route: 'pages', points: 1, from: 'pages', patterns: ['/oauth/*'] } as const
    return { routes: [{ path: '/', app: signInRoutes(config), charges: [charge] }] }
  },
}
