export { BrowserOAuthClient } from '@atproto/oauth-client-browser'
